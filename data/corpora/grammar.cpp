#include "data/corpora/grammar.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "data/files/utf8.h"
#include "data/tokens/word_tokens.h"

namespace argand {
namespace {

using detail::GrammarSymbol;
using detail::Number;
using detail::SymbolKind;

constexpr std::uint64_t sample_streams = 0x73616d706c65;

/// The same symbol with the opposite grammatical number; empty if number does not apply.
std::optional<GrammarSymbol> other_number(GrammarSymbol s) {
  switch (s.number) {
    case Number::Singular:
    case Number::Self: s.number = Number::Plural; return s;
    case Number::Plural: s.number = Number::Singular; return s;
    default: return std::nullopt;
  }
}

}  // namespace

// ------------------------------------------------------------------------------------------------ construction

/// Assigns indices to the symbols in the order in which they are reached from Paragraph, each followed by its counterpart in the
/// other grammatical number. Only ungrammatical texts need the counterparts; judge() uses them to classify errors.
Grammar::Parts Grammar::build(std::uint64_t seed) {
  const detail::GrammarRules source(seed);
  Parts parts;
  const auto number_of = [&](const GrammarSymbol& s) {
    const auto [at, is_new] = parts.numbers.emplace(s, static_cast<Symbol>(parts.symbols.size()));
    if (is_new) parts.symbols.push_back(s);
    return at->second;
  };
  number_of({});
  for (std::size_t i = 0; i < parts.symbols.size(); ++i) {
    const GrammarSymbol symbol = parts.symbols[i];
    if (const auto other = other_number(symbol)) number_of(*other);
    const std::vector<detail::Production> productions = source.productions(symbol);
    double total = 0;
    for (const auto& production : productions) total += production.weight;
    auto& rules = parts.rules.emplace_back();
    for (const auto& production : productions) {
      SimpleGrammar::Rule rule{parts.vocabulary.add(production.word), production.weight / total, {}};
      for (const GrammarSymbol& next : production.rest) rule.rest.push_back(number_of(next));
      rules.push_back(std::move(rule));
    }
  }
  return parts;
}

Grammar::Grammar(std::uint64_t seed) : Grammar(build(seed)) {}

Grammar::Grammar(Parts parts)
    : symbols_(std::move(parts.symbols)),
      numbers_(std::move(parts.numbers)),
      vocabulary_(std::move(parts.vocabulary)),
      grammar_(std::move(parts.rules)) {}

// ------------------------------------------------------------------------------------------------ texts and probabilities

Ids Grammar::sample(std::int64_t n, std::uint64_t seed, std::uint64_t part) const {
  const Random random(seed, sample_streams + part);
  Ids tokens({n});
  SimpleGrammar::Pending pending;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto& rule = grammar_.choose(SimpleGrammar::next_symbol(pending), random.uniform(static_cast<std::uint64_t>(i)));
    tokens[i] = rule.word;
    SimpleGrammar::expand(pending, rule);
  }
  return tokens;
}

Corpus Grammar::corpus(std::int64_t n_train, std::int64_t n_valid, std::int64_t n_test, std::uint64_t seed) const {
  Corpus corpus{.tokens = std::make_shared<WordTokens>(vocabulary_),
                .train = sample(n_train, seed, 1),
                .valid = sample(n_valid, seed, 2),
                .test = sample(n_test, seed, 3)};
  corpus.bytes = {bytes_of(vocabulary_, corpus.train), bytes_of(vocabulary_, corpus.valid), bytes_of(vocabulary_, corpus.test)};
  return corpus;
}

std::vector<double> Grammar::log_probabilities(std::span<const Id> tokens) const {
  std::vector<double> log_p(tokens.size(), -std::numeric_limits<double>::infinity());
  SimpleGrammar::Pending pending;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto* rule = grammar_.find(SimpleGrammar::next_symbol(pending), tokens[i]);
    if (rule == nullptr) break;
    log_p[i] = std::log(rule->probability);
    SimpleGrammar::expand(pending, *rule);
  }
  return log_p;
}

double Grammar::log_probability(std::span<const Id> tokens) const {
  const std::vector<double> log_p = log_probabilities(tokens);
  return std::accumulate(log_p.begin(), log_p.end(), 0.0);
}

double Grammar::best_possible_loss(const Ids& tokens) const {
  require(tokens.size() >= 2, "grammar", "a loss requires at least two tokens, got {}", tokens.size());
  const std::vector<double> log_p = log_probabilities(tokens.span());
  for (std::size_t i = 0; i < log_p.size(); ++i)
    if (std::isinf(log_p[i])) {
      const Id id = tokens[static_cast<std::int64_t>(i)];
      fail("grammar", "token {}, {}, is not allowed at that position by the grammar", i,
           id >= 0 && id < vocabulary_.size() ? in_quotes(vocabulary_.word(id)) : fmt::format("id {}", id));
    }
  return -std::accumulate(log_p.begin() + 1, log_p.end(), 0.0) / static_cast<double>(log_p.size() - 1);
}

Grammar::ForgettingCost Grammar::forgetting_cost() const {
  const auto cost = [&](const auto& forget) {
    std::map<GrammarSymbol, std::int32_t> numbers;
    std::vector<std::int32_t> classes;
    for (GrammarSymbol s : symbols_) {
      forget(s);
      classes.push_back(numbers.emplace(s, static_cast<std::int32_t>(numbers.size())).first->second);
    }
    return grammar_.cost_of_merging(classes);
  };
  return {.number = cost([](GrammarSymbol& s) { s.number = s.is_distant_verb() ? Number::None : s.number; }),
          .reference = cost([](GrammarSymbol& s) { s.name = -1; }),
          .topic = cost([](GrammarSymbol& s) { s.topic = -1; })};
}

// ------------------------------------------------------------------------------------------------ judging

const SimpleGrammar::Rule* Grammar::find_with(const GrammarSymbol& symbol, Id word) const {
  const auto number = numbers_.find(symbol);
  return number == numbers_.end() ? nullptr : grammar_.find(number->second, word);
}

const SimpleGrammar::Rule* Grammar::find_with_other_name(GrammarSymbol symbol, Id word) const {
  for (symbol.name = 0; symbol.name < detail::GrammarRules::n_names; ++symbol.name)
    if (const auto* rule = find_with(symbol, word)) return rule;
  return nullptr;
}

const SimpleGrammar::Rule* Grammar::find_with_other_topic(GrammarSymbol symbol, Id word) const {
  for (symbol.topic = 0; symbol.topic < detail::GrammarRules::n_topics; ++symbol.topic)
    if (const auto* rule = find_with(symbol, word)) return rule;
  return nullptr;
}

/// Resets the first n pending symbols to the paragraph's person and topic: the rule that produced them may be for another person or
/// topic, but one wrong word must count as one error.
void Grammar::keep_story(SimpleGrammar::Pending& pending, std::size_t n, const GrammarSymbol& story) const {
  for (std::size_t i = pending.size() - n; i < pending.size(); ++i) {
    GrammarSymbol s = symbols_[static_cast<std::size_t>(pending[i])];
    if (s.name >= 0 && story.name >= 0) s.name = story.name;
    if (s.topic >= 0 && story.topic >= 0) s.topic = story.topic;
    pending[i] = numbers_.at(s);
  }
}

Judgement Grammar::judge(std::span<const Id> tokens) const {
  const Id stop = vocabulary_.id("."), eos = vocabulary_.id("<eos>");
  if (!tokens.empty() && tokens.front() == eos) tokens = tokens.subspan(1);

  Judgement judgement;
  SimpleGrammar::Pending pending;
  std::optional<GrammarSymbol> more;  // how the paragraph continues after a sentence, once its topic and person are known
  bool is_correct = true, is_lost = false, is_open = false;  // in this sentence: no error so far; unparsable; begun
  const auto end_sentence = [&] {
    ++judgement.sentences;
    judgement.correct += is_correct;
    is_correct = true;
    is_open = false;
  };

  for (const Id word : tokens) {
    require(word >= 0 && word < vocabulary_.size(), "grammar", "id {} is outside the vocabulary of {}", word, vocabulary_.size());
    if (!is_lost) {
      const GrammarSymbol symbol = symbols_[static_cast<std::size_t>(SimpleGrammar::next_symbol(pending))];
      if (symbol.topic >= 0 && symbol.name >= 0) more = GrammarSymbol{SymbolKind::More, symbol.topic, symbol.name};
      const SimpleGrammar::Rule* rule = find_with(symbol, word);
      const auto other = other_number(symbol);
      const SimpleGrammar::Rule* with_other = other ? find_with(*other, word) : nullptr;
      // For these symbols, only verbs distinguish singular from plural; adverbs and prepositions are the same in both.
      if (symbol.is_distant_verb() && (rule == nullptr) != (with_other == nullptr)) {
        ++judgement.distant_verbs;
        judgement.distant_errors += rule == nullptr;
      }
      is_correct = is_correct && rule != nullptr;
      if (rule == nullptr && with_other != nullptr) {
        rule = with_other;
        ++judgement.number_errors;
      }
      if (rule == nullptr && symbol.name >= 0) {
        rule = find_with_other_name(symbol, word);
        judgement.reference_errors += rule != nullptr;
      }
      if (rule == nullptr && symbol.topic >= 0) {
        rule = find_with_other_topic(symbol, word);
        judgement.topic_errors += rule != nullptr;
      }
      if (rule != nullptr) {
        SimpleGrammar::expand(pending, *rule);
        keep_story(pending, rule->rest.size(), symbol);
      } else {
        ++judgement.syntax_errors;
        is_lost = true;
      }
    }
    // The end of a sentence, even if the parser lost track. A paragraph whose opening cannot be parsed is skipped to its end.
    if (word == eos) {
      if (is_open) end_sentence();
      pending.clear();
      more.reset();
      is_lost = false;
      is_correct = true;
    } else if (word == stop) {
      end_sentence();
      if (is_lost && more) {
        pending.assign(1, numbers_.at(*more));
        is_lost = false;
      }
      is_correct = !is_lost;
    } else {
      is_open = true;
    }
  }
  return judgement;
}

}  // namespace argand
