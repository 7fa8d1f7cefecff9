#pragma once
/// The embedded corpus: small stories from a stochastic grammar, with everything that makes language hard to predict and with an
/// entropy that is exactly known, so that a run can print its perplexity beside the best possible one. No file is needed.
///
///   mary is a brave sailor . she often watches the seals near the reef . some gulls that the captain below the ships hears
///   greet mary . then her whale drifts and she saves herself . <eos>
///
/// What has to be remembered, and for how long:
///   - number: a verb agrees with its subject, across prepositional phrases and relative clauses, nested up to three deep;
///   - reference: a paragraph is about one person; she or he, her or his, herself or himself, and the name itself must be hers;
///   - topic: farm, sea, town or forest, for a whole paragraph, decides all nouns, verbs and adjectives.
///
/// The grammar is a simple grammar (data/corpora/simple_grammar.h says why that makes probabilities and entropy exact): given the
/// text so far, one symbol decides the distribution of the next word, and rules of a symbol begin with different words. 200 words,
/// all rules in data/corpora/grammar_rules.cpp. A paragraph has 62 tokens on average. The entropy is 1.952 nats a token:
/// perplexity 7.04, against 200 for a uniform guess. Of that, remembering is worth (worth() computes it; a predictor that knows all
/// else and forgets this loses so much more): number across modifiers 0.030, or ln 2 for each such verb; the person 0.113; the
/// topic 0.542.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "data/corpora/corpus.h"
#include "data/corpora/grammar_rules.h"
#include "data/corpora/simple_grammar.h"
#include "data/vocabulary.h"

namespace argand {

/// How much of a text is as the grammar wants it.
struct Judgement {
  std::int64_t sentences = 0;                          ///< that were finished
  std::int64_t correct = 0;                            ///< of those, without an error
  std::int64_t distant_verbs = 0, distant_errors = 0;  ///< verbs with a modifier between them and their subject; wrong number
  std::int64_t number_errors = 0;                      ///< of any verb or noun, the distant ones included
  std::int64_t reference_errors = 0;                   ///< another person's name, or a pronoun of the wrong gender
  std::int64_t topic_errors = 0;                       ///< a word of another topic
  std::int64_t syntax_errors = 0;                      ///< no such word can stand there; the rest of the sentence is skipped
};

class Grammar {
 public:
  using Id = Vocabulary::Id;

  /// The seed decides which words are frequent: another language of the same build and entropy.
  explicit Grammar(std::uint64_t seed = 0);

  const Vocabulary& vocabulary() const { return vocabulary_; }
  /// A text of n tokens [n] that begins with a paragraph, a pure function of (n, seed); shorter ones are its beginnings.
  Ids sample(std::int64_t n, std::uint64_t seed) const { return sample(n, seed, 0); }
  /// Three independent texts of these lengths.
  Corpus corpus(std::int64_t n_train, std::int64_t n_valid, std::int64_t n_test, std::uint64_t seed) const;

  /// Nats a token; no model can do better on average, whatever its size.
  double entropy_per_token() const { return grammar_.entropy_per_word(); }
  double tokens_per_paragraph() const { return grammar_.words_per_text(); }

  /// Log probability in nats of each token given those before it; the text begins with a paragraph.
  /// -infinity for the first token that the grammar does not allow and all that follow.
  std::vector<double> log_probabilities(std::span<const Id> tokens) const;
  /// Their sum.
  double log_probability(std::span<const Id> tokens) const;
  /// The loss on this very text of a predictor that knows the grammar: mean of -log p over the tokens after the first one (which
  /// nothing predicts). A model that sees only windows of a text cannot quite reach it: at a window's start it does not know what
  /// the paragraph is about. Throws for a text that is not the grammar's.
  double best_possible_loss(const Ids& tokens) const;

  /// What a predictor that knows everything else loses, in nats a token, by forgetting ...
  struct Worth {
    double number;     ///< ... the subject's number, where a modifier stands between it and the verb
    double reference;  ///< ... which person the paragraph is about
    double topic;      ///< ... its topic
  };
  Worth worth() const;

  /// Parses a text, e.g. of a model, word by word: an error is named by what would have to be different for the word to be
  /// right, and parsing goes on. The text begins with a paragraph, or with `<eos>` and then one. A last unfinished sentence is
  /// not counted. Throws for ids outside the vocabulary.
  Judgement judge(std::span<const Id> tokens) const;

 private:
  using Symbol = SimpleGrammar::Symbol;
  struct Parts {
    std::vector<detail::GrammarSymbol> symbols;  ///< by number
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
