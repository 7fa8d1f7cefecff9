#include "data/corpora/simple_grammar.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/error.h"

namespace argand {
namespace {

/// Solves v = e_S + Mᵀ v, where M[A][B] is the expected number of Bs produced by one A, by summing the Neumann series. Its terms
/// are the expected numbers of symbols in each generation of descendants of S, which decay geometrically if texts are finite.
std::vector<double> expected_visits(const std::vector<std::vector<SimpleGrammar::Rule>>& rules) {
  std::vector<double> visits(rules.size(), 0.0), generation(rules.size(), 0.0), next(rules.size());
  generation[0] = 1;
  for (int step = 0; step < 100'000; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    double alive = 0;
    for (std::size_t A = 0; A < rules.size(); ++A) {
      if (generation[A] == 0) continue;
      visits[A] += generation[A];
      alive += generation[A];
      for (const auto& rule : rules[A])
        for (const auto B : rule.rest) next[static_cast<std::size_t>(B)] += generation[A] * rule.probability;
    }
    if (alive < 1e-18) return visits;
    std::swap(generation, next);
  }
  fail("grammar", "the expected length of a text is not finite");
}

}  // namespace

SimpleGrammar::SimpleGrammar(std::vector<std::vector<Rule>> rules) : rules_(std::move(rules)) {
  require(!rules_.empty(), "grammar", "requires at least one rule");
  for (std::size_t A = 0; A < rules_.size(); ++A) {
    auto& of_A = rules_[A];
    std::sort(of_A.begin(), of_A.end(), [](const Rule& a, const Rule& b) { return a.word < b.word; });
    double total = 0;
    for (std::size_t i = 0; i < of_A.size(); ++i) {
      const Rule& rule = of_A[i];
      require(rule.probability > 0, "grammar", "symbol {}: rule probabilities must be positive, got {}", A, rule.probability);
      require(i == 0 || rule.word != of_A[i - 1].word, "grammar", "symbol {}: two rules begin with word {}", A, rule.word);
      for (const Symbol B : rule.rest)
        require(B >= 0 && static_cast<std::size_t>(B) < rules_.size(), "grammar", "symbol {}: a rule refers to unknown symbol {}",
                A, B);
      total += rule.probability;
    }
    require(std::abs(total - 1) < 1e-12, "grammar", "symbol {}: probabilities must sum to 1, got {}", A, total);
  }
  visits_ = expected_visits(rules_);
  words_per_text_ = std::accumulate(visits_.begin(), visits_.end(), 0.0);
}

const SimpleGrammar::Rule* SimpleGrammar::find(Symbol symbol, Word word) const {
  const auto& rules = rules_[static_cast<std::size_t>(symbol)];
  const auto found = std::lower_bound(rules.begin(), rules.end(), word, [](const Rule& rule, Word w) { return rule.word < w; });
  return found != rules.end() && found->word == word ? &*found : nullptr;
}

const SimpleGrammar::Rule& SimpleGrammar::choose(Symbol symbol, double u) const {
  const auto& rules = rules_[static_cast<std::size_t>(symbol)];
  std::size_t i = 0;
  while (i + 1 < rules.size() && u >= rules[i].probability) u -= rules[i++].probability;
  return rules[i];
}

void SimpleGrammar::expand(Pending& pending, const Rule& rule) {
  if (!pending.empty()) pending.pop_back();
  pending.insert(pending.end(), rule.rest.rbegin(), rule.rest.rend());
}

double SimpleGrammar::entropy_per_word() const {
  double sum = 0;
  for (std::size_t A = 0; A < rules_.size(); ++A)
    for (const Rule& rule : rules_[A]) sum -= visits_[A] * rule.probability * std::log(rule.probability);
  return sum / words_per_text_;
}

double SimpleGrammar::cost_of_merging(std::span<const std::int32_t> classes) const {
  require(classes.size() == rules_.size(), "grammar", "got {} classes for {} symbols", classes.size(), rules_.size());
  std::map<std::pair<std::int32_t, Word>, double> together;  // (class, word) -> v · p summed over the class
  std::map<std::int32_t, double> visits;                     // class -> sum of its v
  for (std::size_t A = 0; A < rules_.size(); ++A) {
    visits[classes[A]] += visits_[A];
    for (const Rule& rule : rules_[A]) together[{classes[A], rule.word}] += visits_[A] * rule.probability;
  }
  double sum = 0;
  for (std::size_t A = 0; A < rules_.size(); ++A) {
    if (visits_[A] == 0) continue;
    for (const Rule& rule : rules_[A]) {
      const double average = together[{classes[A], rule.word}] / visits[classes[A]];
      sum += visits_[A] * rule.probability * std::log(rule.probability / average);
    }
  }
  return sum / words_per_text_;
}

}  // namespace argand
