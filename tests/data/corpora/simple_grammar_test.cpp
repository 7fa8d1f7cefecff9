#include "data/corpora/simple_grammar.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(simple_grammar, *boost::unit_test::tolerance(1e-13))

using Rules = std::vector<std::vector<SimpleGrammar::Rule>>;

namespace {

double binary_entropy(double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); }

}  // namespace

BOOST_AUTO_TEST_CASE(coin_throws_have_the_entropy_of_a_coin) {
  // S -> a S (p) | b (1 - p): texts a^n b of expected length 1/(1 - p), with one random choice for each word.
  for (const double p : {0.1, 0.5, 0.9}) {
    const SimpleGrammar grammar(Rules{{{0, p, {0}}, {1, 1 - p, {}}}});
    BOOST_TEST(grammar.words_per_text() == 1 / (1 - p));
    BOOST_TEST(grammar.entropy_per_word() == binary_entropy(p));
  }
}

BOOST_AUTO_TEST_CASE(nested_brackets) {
  // S -> ( S S ) with probability p, x otherwise: the expected length n = (1 - p) + p (2 n + 2), so n = (1 + p)/(1 - 2p). Closing
  // brackets (symbol 1) carry no information. Each of the other words is a random choice, which causes 2p further choices on
  // average, so a text has 1/(1 - 2p) choices.
  const double p = 0.3;
  const SimpleGrammar grammar(Rules{{{0, p, {0, 0, 1}}, {1, 1 - p, {}}}, {{2, 1, {}}}});
  BOOST_TEST(grammar.words_per_text() == (1 + p) / (1 - 2 * p));
  BOOST_TEST(grammar.entropy_per_word() == binary_entropy(p) / (1 + p));
}

BOOST_AUTO_TEST_CASE(forgetting_one_bit_costs_one_bit) {
  // S -> a A | b B, A -> a, B -> b: the second word repeats the first. A model that forgets the first word loses log 2 on
  // every second one.
  const SimpleGrammar grammar(Rules{{{0, 0.5, {1}}, {1, 0.5, {2}}}, {{0, 1, {}}}, {{1, 1, {}}}});
  const std::vector<std::int32_t> all_apart = {0, 1, 2}, forgetful = {0, 1, 1};
  BOOST_TEST(grammar.entropy_per_word() == std::log(2) / 2);
  BOOST_TEST(grammar.cost_of_merging(all_apart) == 0);
  BOOST_TEST(grammar.cost_of_merging(forgetful) == std::log(2) / 2);
  BOOST_TEST(error_of([&] { grammar.cost_of_merging(std::vector<std::int32_t>{0}); }) == "grammar: got 1 classes for 3 symbols");
}

BOOST_AUTO_TEST_CASE(words_and_random_numbers_select_rules) {
  const SimpleGrammar grammar(Rules{{{5, 0.25, {1}}, {3, 0.75, {}}}, {{9, 1, {0, 2}}}, {{4, 1, {}}}});
  BOOST_TEST(grammar.find(0, 5)->probability == 0.25);
  BOOST_TEST((grammar.find(0, 4) == nullptr));
  BOOST_TEST(grammar.choose(0, 0).word == 3);
  BOOST_TEST(grammar.choose(0, 0.74).word == 3);
  BOOST_TEST(grammar.choose(0, 0.75).word == 5);
  BOOST_TEST(grammar.choose(0, 1).word == 5);  // rounding may make the draw reach 1
  SimpleGrammar::Pending pending;
  BOOST_TEST(SimpleGrammar::next_symbol(pending) == 0);
  SimpleGrammar::expand(pending, *grammar.find(0, 5));
  BOOST_TEST(SimpleGrammar::next_symbol(pending) == 1);
  SimpleGrammar::expand(pending, *grammar.find(1, 9));
  BOOST_TEST(pending == (SimpleGrammar::Pending{2, 0}));  // the last symbol that was pushed comes first
}

BOOST_AUTO_TEST_CASE(invalid_grammars_are_refused) {
  BOOST_TEST(error_of([] { SimpleGrammar(Rules{}); }) == "grammar: requires at least one rule");
  BOOST_TEST(error_of([] {
               SimpleGrammar(Rules{{{0, 0.5, {}}, {1, 0.4, {}}}});
             }) == "grammar: symbol 0: probabilities must sum to 1, got 0.9");
  BOOST_TEST(error_of([] {
               SimpleGrammar(Rules{{{0, 1, {}}, {1, 0, {}}}});
             }) == "grammar: symbol 0: rule probabilities must be positive, got 0");
  BOOST_TEST(error_of([] {
               SimpleGrammar(Rules{{{7, 0.5, {}}, {7, 0.5, {0}}}});
             }) == "grammar: symbol 0: two rules begin with word 7");
  BOOST_TEST(error_of([] { SimpleGrammar(Rules{{{0, 1, {2}}}}); }) == "grammar: symbol 0: a rule refers to unknown symbol 2");
  BOOST_TEST(error_of([] { SimpleGrammar(Rules{{{0, 1, {0}}}}); }) == "grammar: the expected length of a text is not finite");
  BOOST_TEST(error_of([] {
               SimpleGrammar(Rules{{{0, 0.6, {0, 0}}, {1, 0.4, {}}}});
             }) == "grammar: the expected length of a text is not finite");
}

BOOST_AUTO_TEST_SUITE_END()
