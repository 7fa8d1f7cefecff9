#pragma once
/// Words and their ids.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tensor.h"

namespace argand {

/// Ids count from 0 in the order in which words were added. A word is non-empty UTF-8 without whitespace or zero bytes.
class Vocabulary {
 public:
  using Id = Ids::value_type;

  Vocabulary() = default;
  explicit Vocabulary(std::span<const std::string> words);

  /// Returns the word's id, adding the word if it is new. Throws if it is not a valid word.
  Id add(std::string_view word);
  std::optional<Id> find(std::string_view word) const;
  /// Returns the word's id, or that of `<unk>` for an unknown word. Throws if there is no `<unk>` either.
  Id id(std::string_view word) const;
  /// Throws for an id outside [0, size()).
  const std::string& word(Id id) const;
  std::int64_t size() const { return static_cast<std::int64_t>(words_.size()); }
  const std::vector<std::string>& words() const { return words_; }

  /// Splits the text at whitespace and returns the ids: [number of words].
  Ids encode(std::string_view text) const;
  /// Joins the words with single spaces.
  std::string decode(std::span<const Id> ids) const;

  /// The contents of the vocabulary's file: one word per line, in order of ids.
  std::string text() const;
  /// Writes text() to `path` atomically. Throws Error.
  void save(const std::string& path) const;
  /// Reads a file written by save(). Throws Error naming the file and line for anything else.
  static Vocabulary load(const std::string& path);

  friend bool operator==(const Vocabulary& a, const Vocabulary& b) { return a.words_ == b.words_; }

 private:
  struct Hash {
    using is_transparent = void;  // allows looking up a string_view without copying it
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
  };

  std::vector<std::string> words_;
  std::unordered_map<std::string, Id, Hash, std::equal_to<>> ids_;
};

}  // namespace argand
