#include "data/corpora/grammar.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <iostream>
#include <set>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(grammar_corpus)

namespace {

/// Built once for all tests, which only read it.
const Grammar& grammar() {
  static const Grammar instance;
  return instance;
}

Judgement judge(const std::string& text) { return grammar().judge(grammar().vocabulary().encode(text).span()); }

double log_probability(const std::string& text) { return grammar().log_probability(grammar().vocabulary().encode(text).span()); }

/// The judgement as text: "sentences correct | number (distant/verbs) reference topic syntax".
std::string verdict(const std::string& text) {
  const Judgement j = judge(text);
  return fmt::format("{} {} | {} ({}/{}) {} {} {}", j.sentences, j.correct, j.number_errors, j.distant_errors, j.distant_verbs,
                     j.reference_errors, j.topic_errors, j.syntax_errors);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_words) {
  BOOST_TEST(grammar().vocabulary().size() == 200);
  const Ids text = grammar().sample(200'000, 1);
  BOOST_TEST(std::set<std::int32_t>(text.span().begin(), text.span().end()).size() == 200U);  // all words occur
}

BOOST_AUTO_TEST_CASE(entropy_is_what_a_large_sample_shows) {
  // Paragraphs are independent. If L_i = -log p and n_i are the negative log-likelihood and the length of paragraph i, the
  // ratio Σ L_i / Σ n_i estimates the rate h, and its standard error follows from the spread of L_i - h n_i.
  for (const std::uint64_t seed : {0, 9}) {
    const Grammar language(seed);
    const Ids text = language.sample(1'000'000, 77);
    const std::vector<double> log_p = language.log_probabilities(text.span());
    const std::int32_t eos = language.vocabulary().id("<eos>");
    const double h = language.entropy_per_token();
    double loss = 0, tokens = 0, squares = 0, paragraphs = 0, L = 0, n = 0;
    for (std::int64_t i = 0; i < text.size(); ++i) {
      L -= log_p[static_cast<std::size_t>(i)];
      ++n;
      if (text[i] != eos) continue;
      loss += L;
      tokens += n;
      squares += (L - h * n) * (L - h * n);
      ++paragraphs;
      L = n = 0;
    }
    const double error = std::sqrt(squares) / tokens;
    BOOST_TEST(error < 0.002);
    BOOST_TEST(std::abs(loss / tokens - h) < 3 * error);
    BOOST_TEST(std::abs(tokens / paragraphs - language.tokens_per_paragraph()) < 0.02 * language.tokens_per_paragraph());
    BOOST_TEST(std::abs(language.best_possible_loss(text) - h) < 4 * error);
  }
}

BOOST_AUTO_TEST_CASE(the_numbers_in_the_documentation) {
  const Grammar::ForgettingCost cost = grammar().forgetting_cost();
  BOOST_TEST(fmt::format("{:.3f} nats, perplexity {:.2f}, {:.0f} tokens; {:.3f} {:.3f} {:.3f}", grammar().entropy_per_token(),
                         std::exp(grammar().entropy_per_token()), grammar().tokens_per_paragraph(), cost.number, cost.reference,
                         cost.topic) == "1.952 nats, perplexity 7.04, 62 tokens; 0.030 0.113 0.542");
}

BOOST_AUTO_TEST_CASE(probabilities_multiply) {
  // The factors of the probability: 0.7/16 for mary, 1/2 for a role without an adjective, 1/4 for its topic, one of two roles with
  // the weights 1 and 1/sqrt(2), and 0.14 for the end.
  const double first = 1 / (1 + std::sqrt(0.5));
  const double p = 0.7 / 16 * 0.5 / 4 * 0.14;
  const double a = log_probability("mary is a sailor . <eos>"), b = log_probability("mary is a captain . <eos>");
  BOOST_TEST(std::max(a, b) == std::log(p * first), boost::test_tools::tolerance(1e-13));
  BOOST_TEST(std::min(a, b) == std::log(p * (1 - first)), boost::test_tools::tolerance(1e-13));
  // Paragraphs are independent, so their probabilities multiply.
  BOOST_TEST(log_probability("mary is a sailor . <eos> tom is a sailor . <eos>") == 2 * a, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(log_probability("mary is a sailor . he dives .") == -std::numeric_limits<double>::infinity());
}

BOOST_AUTO_TEST_CASE(next_word_probabilities_add_up_to_one) {
  // After any beginning, the probabilities of log_probability() over the whole vocabulary must form a distribution.
  const Ids text = grammar().sample(300, 5);
  for (std::int64_t n = 1; n <= text.size(); n += 7) {
    std::vector<std::int32_t> beginning(text.span().begin(), text.span().begin() + n);
    double total = 0;
    for (std::int32_t word = 0; word < grammar().vocabulary().size(); ++word) {
      beginning.back() = word;
      total += std::exp(grammar().log_probabilities(beginning).back());
    }
    BOOST_TEST(total == 1, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(samples_are_functions_of_their_seed) {
  const Ids a = grammar().sample(1000, 1), longer = grammar().sample(2000, 1), b = grammar().sample(1000, 2);
  BOOST_TEST(std::equal(a.span().begin(), a.span().end(), longer.span().begin()));
  BOOST_TEST(!std::equal(a.span().begin(), a.span().end(), b.span().begin()));
  const Corpus corpus = grammar().corpus(1000, 500, 400, 1);
  BOOST_TEST(corpus.train.size() == 1000);
  BOOST_TEST(corpus.valid.size() == 500);
  BOOST_TEST(corpus.test.size() == 400);
  BOOST_TEST(!std::equal(corpus.valid.span().begin(), corpus.valid.span().end(), corpus.train.span().begin()));
  BOOST_TEST(!std::equal(corpus.test.span().begin(), corpus.test.span().end(), corpus.valid.span().begin()));
  BOOST_TEST(corpus.tokens->file() == grammar().vocabulary().text());
  BOOST_TEST(corpus.bytes.valid.size() == 500u);
}

BOOST_AUTO_TEST_CASE(its_sentences_are_correct) {
  const Judgement j = grammar().judge(grammar().sample(300'000, 4).span());
  BOOST_TEST(j.sentences > 20'000);
  BOOST_TEST(j.correct == j.sentences);
  BOOST_TEST(j.distant_verbs > 9'000);
  BOOST_TEST(j.distant_errors + j.number_errors + j.reference_errors + j.topic_errors + j.syntax_errors == 0);
}

BOOST_AUTO_TEST_CASE(errors_have_names) {
  const std::string mary = "mary is a brave sailor . ";
  BOOST_TEST(verdict(mary +
                     "she often watches the seals near the reef . some gulls that the captain below the ships hears greet mary . "
                     "then her whale drifts and she saves herself . <eos>") == "4 4 | 0 (0/2) 0 0 0");
  BOOST_TEST(verdict(mary + "she dives . <eos>") == "2 2 | 0 (0/0) 0 0 0");
  BOOST_TEST(verdict("<eos> " + mary) == "1 1 | 0 (0/0) 0 0 0");
  BOOST_TEST(verdict(mary + "she dive . she dives .") == "3 2 | 1 (0/0) 0 0 0");
  BOOST_TEST(verdict(mary + "a gulls dive .") == "2 1 | 1 (0/0) 0 0 0");
  BOOST_TEST(verdict(mary + "he dives . she dives .") == "3 2 | 0 (0/0) 1 0 0");
  BOOST_TEST(verdict(mary + "john dives . his gulls dive . she saves himself .") == "4 1 | 0 (0/0) 3 0 0");
  BOOST_TEST(verdict(mary + "she sleeps . the cows dive .") == "3 1 | 0 (0/0) 0 2 0");
  BOOST_TEST(verdict(mary + "she the . she dives .") == "3 2 | 0 (0/0) 0 0 1");
  BOOST_TEST(verdict(mary + "she the <eos> " + mary) == "3 2 | 0 (0/0) 0 0 1");
  BOOST_TEST(verdict("the the . she dives . <eos> " + mary) == "3 1 | 0 (0/0) 0 0 1");  // nobody has been named who could be "she"
  BOOST_TEST(verdict(mary + "she saves") == "1 1 | 0 (0/0) 0 0 0");                     // an unfinished sentence is not counted
  BOOST_TEST(verdict("") == "0 0 | 0 (0/0) 0 0 0");
}

BOOST_AUTO_TEST_CASE(agreement_over_a_distance) {
  const std::string mary = "mary is a brave sailor . ";
  BOOST_TEST(verdict(mary + "the gulls near the ship dive .") == "2 2 | 0 (0/1) 0 0 0");
  BOOST_TEST(verdict(mary + "the gulls near the ship dives .") == "2 1 | 1 (1/1) 0 0 0");
  BOOST_TEST(verdict(mary + "the gulls near the ship often dives .") == "2 1 | 1 (1/1) 0 0 0");
  BOOST_TEST(verdict(mary + "the gull that the seals that the captain hears watch is brave .") == "2 2 | 0 (0/2) 0 0 0");
  BOOST_TEST(verdict(mary + "the gull that the seals that the captain hears watches are brave .") == "2 1 | 2 (2/2) 0 0 0");
  BOOST_TEST(verdict(mary + "the gulls that watch the seal dive .") == "2 2 | 0 (0/1) 0 0 0");
}

BOOST_AUTO_TEST_CASE(invalid_queries_are_refused) {
  const auto loss_of = [](const std::string& text) {
    return error_of([&] { grammar().best_possible_loss(grammar().vocabulary().encode(text)); });
  };
  BOOST_TEST(loss_of("mary is a brave brave") == "grammar: token 4, \"brave\", is not allowed at that position by the grammar");
  BOOST_TEST(loss_of("mary") == "grammar: a loss requires at least two tokens, got 1");
  BOOST_TEST(error_of([] {
               grammar().best_possible_loss(Ids({2}, {-1, 0}));
             }) == "grammar: token 0, id -1, is not allowed at that position by the grammar");
  BOOST_TEST(error_of([] { grammar().judge(std::vector<std::int32_t>{200}); }) ==
             "grammar: id 200 is outside the vocabulary of 200");
}

BOOST_AUTO_TEST_SUITE_END()
