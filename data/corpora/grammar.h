#pragma once
/// The embedded corpus: small stories from a stochastic grammar, with the long-range dependencies that make language hard to
/// predict and an exactly known entropy, so a run can print its perplexity next to the best possible one. It needs no file.
///
///   mary is a brave sailor . she often watches the seals near the reef . some gulls that the captain below the ships hears
///   greet mary . then her whale drifts and she saves herself . <eos>
///
/// What a model has to remember, and for how long:
///   - number: a verb agrees with its subject, across prepositional phrases and relative clauses, nested up to three deep;
///   - reference: a paragraph is about one person; pronouns (she or he, her or his, herself or himself) and names must agree;
///   - topic: each paragraph has one (farm, sea, town or forest), which decides all its nouns, verbs and adjectives.
///
/// It is a simple grammar (data/corpora/simple_grammar.h explains why that makes probabilities and entropy exact): given the text
/// so far, a single symbol determines the distribution of the next word, and a symbol's rules begin with different words. The
/// vocabulary has 200 words; the rules are in data/corpora/grammar_rules.cpp. A paragraph has 62 tokens on average. The entropy is
/// 1.952 nats per token: perplexity 7.04, against 200 for a uniform guess. A predictor that forgets exactly one of these incurs an
/// additional loss (forgetting_cost() computes it, in nats per token): 0.030 for the number across modifiers, or ln 2 for each such
/// verb; 0.113 for the person; 0.542 for the topic.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "data/corpora/corpus.h"
#include "data/corpora/grammar_rules.h"
#include "data/corpora/simple_grammar.h"
#include "data/vocabulary.h"

namespace argand {

/// How well a text follows the grammar.
struct Judgement {
  std::int64_t sentences = 0;                          ///< finished sentences
  std::int64_t correct = 0;                            ///< sentences without an error
  std::int64_t distant_verbs = 0, distant_errors = 0;  ///< verbs separated from their subject by a modifier; errors among them
  std::int64_t number_errors = 0;                      ///< in any verb or noun, including distant ones
  std::int64_t reference_errors = 0;                   ///< another person's name, or a pronoun of the wrong gender
  std::int64_t topic_errors = 0;                       ///< a word of another topic
  std::int64_t syntax_errors = 0;                      ///< a word that cannot occur here; the rest of the sentence is skipped
};

class Grammar {
 public:
  using Id = Vocabulary::Id;

  /// The seed decides which words are frequent; each seed gives a different language with the same structure and entropy.
  explicit Grammar(std::uint64_t seed = 0);

  const Vocabulary& vocabulary() const { return vocabulary_; }
  /// A text [n] that starts with a paragraph, a pure function of (n, seed); a shorter text is a prefix of a longer one.
  Ids sample(std::int64_t n, std::uint64_t seed) const { return sample(n, seed, 0); }
  /// Three independent texts of the given lengths.
  Corpus corpus(std::int64_t n_train, std::int64_t n_valid, std::int64_t n_test, std::uint64_t seed) const;

  /// Nats per token; no model of any size can do better on average.
  double entropy_per_token() const { return grammar_.entropy_per_word(); }
  double tokens_per_paragraph() const { return grammar_.words_per_text(); }

  /// Log probability in nats of each token given those before it, for a text that starts at the beginning of a paragraph. It is
  /// -infinity from the first token that the grammar does not allow.
  std::vector<double> log_probabilities(std::span<const Id> tokens) const;
  /// The sum of log_probabilities().
  double log_probability(std::span<const Id> tokens) const;
  /// The loss on this particular text of a predictor that knows the grammar: the mean of -log p over all tokens but the first,
  /// which has no context. A model with a limited window cannot quite reach it: at the start of a window, the topic of the
  /// paragraph is unknown. Throws for a text outside the grammar.
  double best_possible_loss(const Ids& tokens) const;

  /// The loss, in nats per token, of a predictor with perfect knowledge except that it forgets ...
  struct ForgettingCost {
    double number;     ///< ... the subject's number when a modifier separates it from the verb
    double reference;  ///< ... which person the paragraph is about
    double topic;      ///< ... its topic
  };
  ForgettingCost forgetting_cost() const;

  /// Parses a text, e.g. a model's output, word by word: each error is classified by what would have to change to make the word
  /// correct, and parsing continues. The text starts at the beginning of a paragraph, optionally after an `<eos>`. An unfinished
  /// last sentence does not count. Throws for ids outside the vocabulary.
  Judgement judge(std::span<const Id> tokens) const;

 private:
  using Symbol = SimpleGrammar::Symbol;
  struct Parts {
    std::vector<detail::GrammarSymbol> symbols;  ///< indexed by symbol number
    std::map<detail::GrammarSymbol, Symbol> numbers;
    Vocabulary vocabulary;
    std::vector<std::vector<SimpleGrammar::Rule>> rules;
  };
  explicit Grammar(Parts parts);
  static Parts build(std::uint64_t seed);
  Ids sample(std::int64_t n, std::uint64_t seed, std::uint64_t part) const;
  const SimpleGrammar::Rule* find_with(const detail::GrammarSymbol& symbol, Id word) const;
  const SimpleGrammar::Rule* find_with_other_name(detail::GrammarSymbol symbol, Id word) const;
  const SimpleGrammar::Rule* find_with_other_topic(detail::GrammarSymbol symbol, Id word) const;
  void keep_story(SimpleGrammar::Pending& pending, std::size_t n, const detail::GrammarSymbol& story) const;

  std::vector<detail::GrammarSymbol> symbols_;
  std::map<detail::GrammarSymbol, Symbol> numbers_;
  Vocabulary vocabulary_;
  SimpleGrammar grammar_;
};

}  // namespace argand
