#pragma once
/// Keys: the names by which configuration values are typed, stored and explained. Inside the library a choice is an enumeration;
/// it is a word only here, where text is read and written.

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace argand {

/// "a|b|c" -> a, b, c.
std::vector<std::string> split_choices(std::string_view choices);

/// The word of `known` closest to `word` by edit distance, or empty if none is close.
std::string closest_word(const std::string& word, const std::vector<std::string>& known);
/// "; did you mean WORD?" for a close word of `known`, or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

/// A renamed key: older files can still be read, and old options are still accepted.
struct RenamedKey {
  const char *before, *now;
};
inline constexpr std::array renamed_keys = {RenamedKey{"rival", "baseline"}};
/// The current name of a key.
std::string current_key(const std::string& key);

/// The index of `word` in `choices`. Throws `config: KEY "WORD" is not one of CHOICES`, with a suggestion.
int index_of_word(std::string_view key, const std::string& word, std::string_view choices);

/// An enumeration whose values 0, 1, ... have words: `words_of(E)`, declared next to it, lists them in order, joined by '|'.
template <class E>
concept Worded = std::is_enum_v<E> && requires(E value) {
  { words_of(value) } -> std::same_as<const char*>;
};
template <Worded E>
std::string word_of(E value) {
  return split_choices(words_of(value)).at(static_cast<std::size_t>(value));
}
template <Worded E>
E value_of_word(std::string_view key, const std::string& word) {
  return static_cast<E>(index_of_word(key, word, words_of(E())));
}
/// All values, in order.
template <Worded E>
std::vector<E> every() {
  std::vector<E> values;
  for (std::size_t i = 0; i < split_choices(words_of(E())).size(); ++i) values.push_back(static_cast<E>(i));
  return values;
}

/// Visits the keys of a configuration, to read, write or explain them.
class KeyVisitor {
 public:
  virtual ~KeyVisitor() = default;
  /// `choices`: the allowed words, joined by '|', or "" for any.
  virtual void key(const char* name, std::string& value, const char* choices, const char* help) = 0;
  virtual void key(const char* name, std::int64_t& value, const char* choices, const char* help) = 0;
  virtual void key(const char* name, double& value, const char* choices, const char* help) = 0;
  virtual void key(const char* name, bool& value, const char* choices, const char* help) = 0;
  virtual void key(const char* name, std::vector<std::int64_t>& value, const char* choices, const char* help) = 0;

  /// For configurations that list their keys: f("mode", mode, "which projections are complex-linear"). An enumeration is passed as
  /// its word, and the result is read back; throws like index_of_word if f leaves an invalid word.
  template <class T>
  void operator()(const char* name, T& value, const char* help) {
    if constexpr (Worded<T>) {
      std::string word = word_of(value);
      key(name, word, words_of(value), help);
      value = value_of_word<T>(name, word);
    } else {
      key(name, value, "", help);
    }
  }
};

/// Turns f(name, value&, choices, help), a lambda with `auto&`, into a visitor.
template <class F>
class KeyFunction final : public KeyVisitor {
 public:
  explicit KeyFunction(F& f) : f_(f) {}
  void key(const char* name, std::string& value, const char* choices, const char* help) override { f_(name, value, choices, help); }
  void key(const char* name, std::int64_t& value, const char* choices, const char* help) override {
    f_(name, value, choices, help);
  }
  void key(const char* name, double& value, const char* choices, const char* help) override { f_(name, value, choices, help); }
  void key(const char* name, bool& value, const char* choices, const char* help) override { f_(name, value, choices, help); }
  void key(const char* name, std::vector<std::int64_t>& value, const char* choices, const char* help) override {
    f_(name, value, choices, help);
  }

 private:
  F& f_;
};

}  // namespace argand
