#pragma once
/// A text for language models, in three parts that share a tokenizer.

#include "data/tokens/tokenizer.h"

namespace argand {

struct Corpus {
  TokenizerPtr tokens;
  std::string source{};          ///< one line naming the source; may be empty
  Ids train{}, valid{}, test{};  ///< [N] each; test may be empty
  /// The number of bytes of text that each token of a part represents.
  struct Bytes {
    std::vector<std::uint32_t> train{}, valid{}, test{};
  } bytes{};
  /// Flags tokens that do not determine their bytes; empty for a part where every token does.
  struct Unknown {
    std::vector<bool> train{}, valid{}, test{};
  } unknown{};
};

/// Encodes each part's text with this tokenizer.
Corpus in_tokens(TokenizerPtr tokens, std::string_view train, std::string_view valid, std::string_view test);

}  // namespace argand
