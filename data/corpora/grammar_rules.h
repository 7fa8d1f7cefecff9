#pragma once
/// The rules of the embedded corpus's grammar: every choice, with its weight. data/corpora/grammar.h describes the texts.

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace argand::detail {

enum class SymbolKind : std::uint8_t {
  // clang-format off
  Paragraph, IsA, A, Introduction, Role, CalledRole, IsCalled, CalledWord, Called,  // the opening sentence
  Stop, More, Clause, End, EndAfter,                                               // sentences
  Subject, SubjectNoun, Tail, After, Predicate, Finite, Predicative,               // subject and verb of a clause
  Object, ObjectNoun, ObjectBare, Place, PlaceNoun, PlaceBare,                     // other noun phrases
  Relative, PlainObject, RelativeSubject, RelativeTail, RelativeAfter,             // relative clauses
  // clang-format on
};

/// Self: the paragraph's person as the subject, treated as singular by verbs. Any: not decided at this point.
enum class Number : std::uint8_t { None, Singular, Plural, Self, Any };

/// A symbol of the grammar: a pending part of the text, with all the context needed to expand it.
struct GrammarSymbol {
  SymbolKind kind = SymbolKind::Paragraph;
  std::int8_t topic = -1;        ///< index of the paragraph's topic; -1: unknown or irrelevant
  std::int8_t name = -1;         ///< index of the paragraph's person; -1: unknown or irrelevant
  Number number = Number::None;  ///< of the subject that a verb must agree with, or of the noun that follows
  std::int8_t level = 0;         ///< Relative...: how many more may be nested; Finite: 1 if separated from its subject; Clause,
                                 ///< End, EndAfter: 1 if a second clause may follow
  auto operator<=>(const GrammarSymbol&) const = default;

  /// A verb separated by a modifier from the subject it must agree with.
  bool is_distant_verb() const {
    return kind == SymbolKind::After || kind == SymbolKind::RelativeAfter || (kind == SymbolKind::Finite && level == 1);
  }
};

/// symbol -> word rest..., with probability proportional to `weight`.
struct Production {
  std::string word;
  double weight;
  std::vector<GrammarSymbol> rest;
};

class GrammarRules {
 public:
  static constexpr int n_names = 16, n_topics = 4;

  /// The seed decides which words of each list are frequent and which are rare.
  explicit GrammarRules(std::uint64_t seed);
  std::vector<Production> productions(const GrammarSymbol& symbol) const;

 private:
  struct Word {
    const char* singular;  ///< for a verb: third person; for an adjective: the only form
    const char* plural;
    double weight;  ///< the weights in a list add up to 1
  };
  using Words = std::vector<Word>;
  struct Topic {
    Words roles, beings, things, intransitive_verbs, transitive_verbs, adjectives;  ///< beings include roles
  };
  class Builder;

  std::vector<Topic> topics_;
};

}  // namespace argand::detail
