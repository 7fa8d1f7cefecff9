#pragma once
/// The contents of a tokenizer.json for byte-level BPE.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/tokens/text_cuts.h"
#include "data/tokens/tokenizer.h"

namespace argand {

struct BpeFile {
  using Id = Tokenizer::Id;

  /// A string that always becomes one token, wherever it occurs.
  struct Added {
    std::string text;
    Id id = 0;
    bool first = false;  ///< matched before the others
  };
  /// Merges a pair of tokens into one; in each word, the pair with the lowest rank is merged first.
  struct Merge {
    std::int64_t rank = 0;
    Id merged = 0;
  };

  std::vector<std::string> tokens;                  ///< the bytes of each token, by id; empty for unused ids
  std::unordered_map<std::string, Id> ids;          ///< ids of the byte-level tokens, by their bytes
  std::unordered_map<std::uint64_t, Merge> merges;  ///< by pair_of(left, right)
  std::vector<Added> added;
  std::optional<Id> unknown;  ///< for bytes that have no token, if the model has one
  bool nfc = false;           ///< normalise the text to NFC once the added tokens are found
  std::vector<TextCut> cuts;  ///< split the text by the first rule, its parts by the second, ...
  bool prefix_space = false;  ///< insert a space before a part that does not begin with one
  bool words = true;          ///< split the parts by GPT-2's rule and merge only within words
  bool whole_words = false;   ///< a word that is itself a token is not split, regardless of its merges

  static std::uint64_t pair_of(Id left, Id right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
  }
};

/// Throws Error, with `name` in the message, for a file that is damaged or has unsupported features.
BpeFile read_bpe_file(std::string_view json, const std::string& name);

}  // namespace argand
