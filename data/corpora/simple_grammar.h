#pragma once
/// Stochastic simple grammars: texts whose probability and entropy are known exactly.
///
/// Every rule has the form A -> w B1 ... Bk: a word first, then the symbols to expand later; no two rules of one A begin with the
/// same word (a simple grammar, or s-grammar: Korenjak, Hopcroft, "Simple deterministic languages", SWAT 1966). So
///
///   - a text determines its derivation, from left to right: the pending symbols start as [S]; the next word w selects the only
///     rule of the first pending symbol that begins with w, and B1 ... Bk replace that symbol. By induction a text has only one
///     derivation: the grammar is unambiguous, and p(text) is the product of the probabilities of those rules;
///   - each word is a single choice: the words before it determine the pending symbols A ..., so the next word has exactly
///     the distribution of A's rules, and its entropy is H(A) = -Σ p log p over them;
///   - hence, for an endless sequence of independent texts, the entropy rate is
///
///         h = Σ_A v(A) H(A) / Σ_A v(A)   nats per word,
///
///     where v(A) is the expected number of expansions of A per text; Σ v(A) is then a text's expected length (the renewal-reward
///     theorem). The v solve the linear system v(B) = [B = S] + Σ_A v(A) Σ_rules p · (number of Bs in the rule).
///
/// No predictor can have a smaller expected loss than h; one that knows the rules and tracks the pending symbols attains it.

#include <cstdint>
#include <span>
#include <vector>

namespace argand {

class SimpleGrammar {
 public:
  using Word = std::int32_t;
  using Symbol = std::int32_t;
  struct Rule {
    Word word;
    double probability;
    std::vector<Symbol> rest;
  };
  /// The symbols still to be expanded, the first one last. Empty between texts.
  using Pending = std::vector<Symbol>;

  /// rules[A] are the rules of symbol A; symbol 0 is S. Throws Error if the probabilities are not positive or do not add up to 1,
  /// if two rules of a symbol begin with the same word, or if the expected length of a text is infinite.
  explicit SimpleGrammar(std::vector<std::vector<Rule>> rules);

  /// The symbol that the next word expands.
  static Symbol next_symbol(const Pending& pending) { return pending.empty() ? 0 : pending.back(); }
  /// The rule of `symbol` that begins with `word`, or null.
  const Rule* find(Symbol symbol, Word word) const;
  /// The rule of `symbol` selected by a random number u in [0, 1).
  const Rule& choose(Symbol symbol, double u) const;
  static void expand(Pending& pending, const Rule& rule);

  /// The entropy rate h defined above.
  double entropy_per_word() const;
  /// Expected length of a text, in words.
  double words_per_text() const { return words_per_text_; }

  /// The cost, in nats per word, of not distinguishing symbols of the same class (classes[A], arbitrary numbers) and predicting
  /// with their average, weighted by v: Σ_A v(A) KL(rules of A || average of its class) / Σ_A v(A). This is the value of
  /// remembering the difference when everything else is known.
  double cost_of_merging(std::span<const std::int32_t> classes) const;

 private:
  std::vector<std::vector<Rule>> rules_;  ///< for each symbol, sorted by word
  std::vector<double> visits_;            ///< v(A), the expected expansions of A per text
  double words_per_text_ = 0;
};

}  // namespace argand
