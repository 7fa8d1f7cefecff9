#pragma once
/// Stochastic simple grammars: texts whose probability and entropy are exactly known.
///
/// Every rule reads A -> w B1 ... Bk: a word first, then what is yet to come; and no two rules of one A begin with the same word
/// (a simple grammar, or s-grammar: Korenjak, Hopcroft, "Simple deterministic languages", SWAT 1966). So
///
///   - a text determines its derivation, from left to right: the pending symbols start as [S]; the next word w picks the only rule
///     of the first pending symbol that begins with w, and its B1 ... Bk take that symbol's place. By induction there is one
///     derivation of every text: the grammar is unambiguous, and p(text) is the product of the probabilities of those rules;
///   - one word is one choice: given the words before it, which determine the pending symbols A ..., the next word has exactly
///     the distribution of A's rules, and its entropy is H(A) = -Σ p log p over them;
///   - hence, texts following each other endlessly and independently, the entropy rate is
///
///         h = Σ_A v(A) H(A) / Σ_A v(A)   nats a word,
///
///     v(A) being how often A is expanded in a text, on average; Σ v(A) is then the expected length of a text (the renewal-reward
///     theorem). The v solve the linear system v(B) = [B = S] + Σ_A v(A) Σ_rules p · (number of Bs in the rule).
///
/// No predictor can have a smaller expected loss than h; who knows the rules and keeps the pending symbols attains it.

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
  /// The symbols yet to be expanded, the first of them last. Empty between texts.
  using Pending = std::vector<Symbol>;

  /// rules[A] are those of symbol A; symbol 0 is S. Throws Error when probabilities are not positive or do not add up to 1, two
  /// rules of a symbol begin with the same word, or texts have no finite expected length.
  explicit SimpleGrammar(std::vector<std::vector<Rule>> rules);

  /// The symbol that the next word expands.
  static Symbol next_symbol(const Pending& pending) { return pending.empty() ? 0 : pending.back(); }
  /// The rule of `symbol` that begins with `word`, or null.
  const Rule* find(Symbol symbol, Word word) const;
  /// The rule of `symbol` that a number u in [0, 1) falls on.
  const Rule& choose(Symbol symbol, double u) const;
  static void expand(Pending& pending, const Rule& rule);

  /// h above.
  double entropy_per_word() const;
  /// Expected length of a text, in words.
  double words_per_text() const { return words_per_text_; }

  /// What it costs, in nats a word, to tell symbols of the same class (classes[A], any numbers) not apart and to predict with
  /// their average, weighted by v, in their place: Σ_A v(A) KL(rules of A || average of its class) / Σ_A v(A). With everything
  /// else known, that is what remembering the difference is worth.
  double cost_of_merging(std::span<const std::int32_t> classes) const;

 private:
  std::vector<std::vector<Rule>> rules_;  ///< of each symbol, by word
  std::vector<double> visits_;            ///< v
  double words_per_text_ = 0;
};

}  // namespace argand
