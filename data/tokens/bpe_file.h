#pragma once
/// What a tokenizer.json of byte-level BPE says.

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

  /// A text that is one token wherever it stands.
  struct Added {
    std::string text;
    Id id = 0;
    bool first = false;  ///< looked for before those that are not
  };
  /// Two tokens that become one; the lowest rank of a word is merged first.
  struct Merge {
    std::int64_t rank = 0;
    Id merged = 0;
  };

  std::vector<std::string> tokens;                  ///< by id, the bytes that each stands for; empty where there is no token
  std::unordered_map<std::string, Id> ids;          ///< of those that merges make, by their bytes
  std::unordered_map<std::uint64_t, Merge> merges;  ///< by pair_of(left, right)
  std::vector<Added> added;
  std::optional<Id> unknown;  ///< for bytes without a token, where there are such
  bool nfc = false;           ///< the text is brought into Unicode's form NFC, after added tokens that are looked for first
  std::vector<TextCut> cuts;  ///< the text is cut by the first, its parts by the second, ...
  bool prefix_space = false;  ///< a space is put before a part that begins without one
  bool words = true;          ///< the parts are cut by GPT-2's rule in the end; merges stay within what is cut
  bool whole_words = false;   ///< a word that is a token is taken whole, whatever the merges make of it

  static std::uint64_t pair_of(Id left, Id right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
  }
};

/// Throws Error, with `name` in the message, for what is damaged or not understood.
BpeFile read_bpe_file(std::string_view json, const std::string& name);

}  // namespace argand
