#include "data/corpora/grammar_rules.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/random.h"

namespace argand::detail {
namespace {

using Forms = std::pair<const char*, const char*>;

/// Half women's names, half men's. All are equally probable, which makes remembering the name as valuable as possible.
constexpr std::array<const char*, GrammarRules::n_names> names = {"mary",  "anna",  "lucy",  "emma", "clara", "rosa",
                                                                  "nina",  "ruth",  "tom",   "john", "peter", "karl",
                                                                  "david", "simon", "oscar", "max"};
bool is_woman(int name) { return name < GrammarRules::n_names / 2; }

struct TopicForms {
  std::array<Forms, 2> roles;
  std::array<Forms, 3> others;  ///< beings that are not roles
  std::array<Forms, 4> things, intransitive_verbs, transitive_verbs;
  std::array<const char*, 3> adjectives;
};

// No word begins with a vowel ("a", never "an"), and no word belongs to two parts of speech.
const std::array<TopicForms, GrammarRules::n_topics> topic_forms = {
    TopicForms{.roles = {{{"farmer", "farmers"}, {"shepherd", "shepherds"}}},
               .others = {{{"cow", "cows"}, {"horse", "horses"}, {"goat", "goats"}}},
               .things = {{{"barn", "barns"}, {"field", "fields"}, {"fence", "fences"}, {"cart", "carts"}}},
               .intransitive_verbs = {{{"works", "work"}, {"rests", "rest"}, {"eats", "eat"}, {"sleeps", "sleep"}}},
               .transitive_verbs = {{{"feeds", "feed"}, {"follows", "follow"}, {"guards", "guard"}, {"calls", "call"}}},
               .adjectives = {"dusty", "young", "gentle"}},
    TopicForms{.roles = {{{"sailor", "sailors"}, {"captain", "captains"}}},
               .others = {{{"seal", "seals"}, {"gull", "gulls"}, {"whale", "whales"}}},
               .things = {{{"ship", "ships"}, {"harbor", "harbors"}, {"reef", "reefs"}, {"net", "nets"}}},
               .intransitive_verbs = {{{"swims", "swim"}, {"drifts", "drift"}, {"dives", "dive"}, {"sings", "sing"}}},
               .transitive_verbs = {{{"watches", "watch"}, {"saves", "save"}, {"greets", "greet"}, {"hears", "hear"}}},
               .adjectives = {"salty", "lonely", "brave"}},
    TopicForms{.roles = {{{"baker", "bakers"}, {"teacher", "teachers"}}},
               .others = {{{"doctor", "doctors"}, {"neighbor", "neighbors"}, {"child", "children"}}},
               .things = {{{"shop", "shops"}, {"bridge", "bridges"}, {"street", "streets"}, {"lamp", "lamps"}}},
               .intransitive_verbs = {{{"talks", "talk"}, {"waits", "wait"}, {"laughs", "laugh"}, {"hurries", "hurry"}}},
               .transitive_verbs = {{{"visits", "visit"}, {"helps", "help"}, {"thanks", "thank"}, {"meets", "meet"}}},
               .adjectives = {"busy", "tall", "cheerful"}},
    TopicForms{.roles = {{{"hunter", "hunters"}, {"ranger", "rangers"}}},
               .others = {{{"wolf", "wolves"}, {"fox", "foxes"}, {"bear", "bears"}}},
               .things = {{{"tree", "trees"}, {"cave", "caves"}, {"path", "paths"}, {"river", "rivers"}}},
               .intransitive_verbs = {{{"hides", "hide"}, {"howls", "howl"}, {"climbs", "climb"}, {"listens", "listen"}}},
               .transitive_verbs = {{{"chases", "chase"}, {"fears", "fear"}, {"finds", "find"}, {"tracks", "track"}}},
               .adjectives = {"strange", "silent", "wild"}}};

}  // namespace

GrammarRules::GrammarRules(std::uint64_t seed) {
  const Random random(seed, 0x677261);
  std::uint64_t draw = 0;
  // The word of rank r has weight 1/sqrt(r), flatter than Zipf's law because the lists are short; the seed decides the ranks.
  const auto rank = [&](Words words) {
    for (std::size_t i = words.size(); i > 1; --i) std::swap(words[i - 1], words[random.below(draw++, i)]);
    double total = 0;
    for (std::size_t i = 0; i < words.size(); ++i) total += words[i].weight = 1.0 / std::sqrt(static_cast<double>(i + 1));
    for (Word& word : words) word.weight /= total;
    return words;
  };
  const auto pairs = [](const auto&... lists) {
    Words words;
    const auto add = [&](const auto& list) {
      for (const auto& [singular, plural] : list) words.push_back({singular, plural, 0});
    };
    (add(lists), ...);
    return words;
  };
  for (const TopicForms& forms : topic_forms) {
    Words adjectives;
    for (const char* adjective : forms.adjectives) adjectives.push_back({adjective, adjective, 0});
    topics_.push_back({.roles = rank(pairs(forms.roles)),
                       .beings = rank(pairs(forms.roles, forms.others)),
                       .things = rank(pairs(forms.things)),
                       .intransitive_verbs = rank(pairs(forms.intransitive_verbs)),
                       .transitive_verbs = rank(pairs(forms.transitive_verbs)),
                       .adjectives = rank(adjectives)});
  }
}

/// Collects the productions of one symbol. `w` is the total weight of the productions that a call adds.
class GrammarRules::Builder {
 public:
  using Rest = std::vector<GrammarSymbol>;

  void word(double w, const char* text, Rest rest = {}) { list.push_back({text, w, std::move(rest)}); }
  void each(double w, std::initializer_list<const char*> texts, const Rest& rest) {
    for (const char* text : texts) word(w / static_cast<double>(texts.size()), text, rest);
  }
  void forms(double w, const Words& words, bool is_plural, const Rest& rest = {}) {
    for (const Word& x : words) word(w * x.weight, is_plural ? x.plural : x.singular, rest);
  }
  /// Adds determiners; if one fixes the noun's number, rest(number) follows it.
  template <class F>
  void determiners(double w, const F& rest) {
    word(w * 0.45, "the", rest(Number::Any));
    word(w * 0.20, "a", rest(Number::Singular));
    word(w * 0.08, "every", rest(Number::Singular));
    word(w * 0.17, "some", rest(Number::Plural));
    word(w * 0.10, "many", rest(Number::Plural));
  }
  /// Adds nouns of the given number, or of both if it is Any, each followed by rest(number).
  template <class F>
  void nouns(double w, const Words& words, Number number, const F& rest) {
    if (number == Number::Any) w /= 2;
    if (number != Number::Plural) forms(w, words, false, rest(Number::Singular));
    if (number != Number::Singular) forms(w, words, true, rest(Number::Plural));
  }
  void prepositions(double w, const Rest& rest) { each(w, {"near", "behind", "beside", "below"}, rest); }
  void conjunctions(double w, const Rest& rest) { each(w, {"and", "but", "because", "while"}, rest); }
  /// Adds the start of a clause: its subject, followed by End.
  void clause(double w, const GrammarSymbol& s) {
    const GrammarSymbol end{SymbolKind::End, s.topic, s.name, Number::None, s.level};
    const GrammarSymbol predicate{SymbolKind::Predicate, s.topic, s.name, Number::Self};
    const auto subject = [&](Number number) { return Rest{{SymbolKind::Subject, s.topic, s.name, number}, end}; };
    word(w * 0.26, is_woman(s.name) ? "she" : "he", {predicate, end});
    word(w * 0.14, names[static_cast<std::size_t>(s.name)], {predicate, end});
    word(w * 0.18, is_woman(s.name) ? "her" : "his", subject(Number::Any));
    determiners(w * 0.42, subject);
  }
  /// Adds the verb of a clause, agreeing with s.number, and its complement.
  void finite(double w, const Topic& topic, const GrammarSymbol& s) {
    const bool is_plural = s.number == Number::Plural;
    word(w * 0.18, is_plural ? "are" : "is", {{SymbolKind::Predicative, s.topic}});
    forms(w * 0.32, topic.intransitive_verbs, is_plural);
    forms(w * 0.50, topic.transitive_verbs, is_plural, {{SymbolKind::Object, s.topic, s.name, s.number}});
  }
  void predicate(double w, const Topic& topic, const GrammarSymbol& s) {
    const std::int8_t is_distant = s.is_distant_verb() ? 1 : 0;
    each(w * 0.12, {"often", "never", "always", "rarely", "still"}, {{SymbolKind::Finite, s.topic, s.name, s.number, is_distant}});
    finite(w * 0.88, topic, s);
  }

  std::vector<Production> list;
};

std::vector<Production> GrammarRules::productions(const GrammarSymbol& s) const {
  using K = SymbolKind;
  using Rest = Builder::Rest;
  using Symbol = GrammarSymbol;
  constexpr auto none = Number::None;
  const auto t = s.topic, p = s.name;
  const bool is_plural = s.number == Number::Plural;
  // Used only by symbols with a known topic.
  const Topic& topic = topics_[static_cast<std::size_t>(std::max<std::int8_t>(t, 0))];
  const auto nothing = [](Number) { return Rest{}; };
  const auto noun_phrase = [&](K noun) { return [=](Number n) { return Rest{{noun, t, -1, n}}; }; };

  Builder b;
  switch (s.kind) {
    // mary is a brave sailor .   |   the sailor is called mary .
    case K::Paragraph:
      for (std::int8_t name = 0; name < n_names; ++name)
        b.word(0.7 / n_names, names[static_cast<std::size_t>(name)], {{K::IsA}, {K::Introduction, -1, name}});
      b.word(0.3, "the", {{K::CalledRole}});
      break;
    case K::IsA: b.word(1, "is", {{K::A}}); break;
    case K::A: b.word(1, "a"); break;
    case K::Introduction:
      for (std::int8_t i = 0; i < n_topics; ++i) {
        const Topic& its = topics_[static_cast<std::size_t>(i)];
        b.forms(0.5 / n_topics, its.adjectives, false, {{K::Role, i}, {K::Stop, i, p}});
        b.forms(0.5 / n_topics, its.roles, false, {{K::Stop, i, p}});
      }
      break;
    case K::Role: b.forms(1, topic.roles, false); break;
    case K::CalledRole:
      for (std::int8_t i = 0; i < n_topics; ++i)
        b.forms(1.0 / n_topics, topics_[static_cast<std::size_t>(i)].roles, false, {{K::IsCalled}, {K::Called, i}});
      break;
    case K::IsCalled: b.word(1, "is", {{K::CalledWord}}); break;
    case K::CalledWord: b.word(1, "called"); break;
    case K::Called:
      for (std::int8_t name = 0; name < n_names; ++name)
        b.word(1.0 / n_names, names[static_cast<std::size_t>(name)], {{K::Stop, t, name}});
      break;

    // Sentences: one clause or two, then another sentence or the end of the paragraph.
    case K::Stop: b.word(1, ".", {{K::More, t, p}}); break;
    case K::More:
      b.word(0.14, "<eos>");
      b.each(0.10, {"then", "soon"}, {{K::Clause, t, p, none, 1}});
      b.clause(0.76, {K::Clause, t, p, none, 1});
      break;
    case K::Clause: b.clause(1, s); break;
    case K::End:
      b.word(0.56, ".", {{K::More, t, p}});
      b.prepositions(0.17, {{K::Place, t}, {K::EndAfter, t, p, none, s.level}});
      b.each(0.09, {"today", "again", "tonight"}, {{K::EndAfter, t, p, none, s.level}});
      if (s.level == 1) b.conjunctions(0.18, {{K::Clause, t, p}});
      break;
    case K::EndAfter:
      b.word(0.80, ".", {{K::More, t, p}});
      if (s.level == 1) b.conjunctions(0.20, {{K::Clause, t, p}});
      break;

    // A subject and its verb, with modifiers between them: the bears near the cave that the hunter fears ... hide
    case K::Subject:
    case K::SubjectNoun:
      if (s.kind == K::Subject) b.forms(0.3, topic.adjectives, false, {{K::SubjectNoun, t, p, s.number}});
      b.nouns(0.7, topic.beings, s.number, [&](Number n) { return Rest{{K::Tail, t, p, n}}; });
      break;
    case K::Tail:
      b.prepositions(0.27, {{K::Place, t}, {K::After, t, p, s.number}});
      b.word(0.27, "that", {{K::Relative, t, -1, s.number, 2}, {K::After, t, p, s.number}});
      b.predicate(0.46, topic, s);
      break;
    case K::After:
      b.prepositions(0.12, {{K::Place, t}, {K::After, t, p, s.number}});
      b.predicate(0.88, topic, s);
      break;
    case K::Predicate: b.predicate(1, topic, s); break;
    case K::Finite: b.finite(1, topic, s); break;
    case K::Predicative: b.forms(1, topic.adjectives, false); break;

    // Other noun phrases.
    case K::Object:
      b.determiners(0.55, noun_phrase(K::ObjectNoun));
      b.word(0.15, is_woman(p) ? "her" : "his", {{K::ObjectNoun, t, -1, Number::Any}});
      if (s.number == Number::Self)
        b.word(0.25, is_woman(p) ? "herself" : "himself");
      else
        b.word(0.15, names[static_cast<std::size_t>(p)]);
      if (is_plural) b.word(0.15, "themselves");
      break;
    case K::ObjectNoun:
    case K::ObjectBare:
      if (s.kind == K::ObjectNoun) b.forms(0.3, topic.adjectives, false, {{K::ObjectBare, t, -1, s.number}});
      b.nouns(0.42, topic.beings, s.number, nothing);
      b.nouns(0.28, topic.things, s.number, nothing);
      break;
    case K::Place: b.determiners(1, noun_phrase(K::PlaceNoun)); break;
    case K::PlaceNoun:
    case K::PlaceBare:
      if (s.kind == K::PlaceNoun) b.forms(0.3, topic.adjectives, false, {{K::PlaceBare, t, -1, s.number}});
      b.nouns(0.7, topic.things, s.number, nothing);
      break;

    // ... that fear the hunter   |   ... that are wild   |   ... that the hunter near the river fears
    case K::Relative:
      b.forms(0.5, topic.transitive_verbs, is_plural, {{K::PlainObject, t}});
      b.word(0.1, is_plural ? "are" : "is", {{K::Predicative, t}});
      b.determiners(0.4, [&](Number n) { return Rest{{K::RelativeSubject, t, -1, n, s.level}}; });
      break;
    case K::PlainObject: b.determiners(1, noun_phrase(K::ObjectNoun)); break;
    case K::RelativeSubject:
      b.nouns(1, topic.beings, s.number, [&](Number n) { return Rest{{K::RelativeTail, t, -1, n, s.level}}; });
      break;
    case K::RelativeTail: {
      const Symbol verb{K::RelativeAfter, t, -1, s.number};
      b.forms(0.60, topic.transitive_verbs, is_plural);
      b.prepositions(0.22, {{K::Place, t}, verb});
      if (s.level > 0) b.word(0.18, "that", {{K::Relative, t, -1, s.number, static_cast<std::int8_t>(s.level - 1)}, verb});
      break;
    }
    case K::RelativeAfter: b.forms(1, topic.transitive_verbs, is_plural); break;
  }
  return std::move(b.list);
}

}  // namespace argand::detail
