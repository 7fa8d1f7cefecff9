#pragma once
/// A text for language models, in three parts with common tokens.

#include "data/tokens/tokenizer.h"

namespace argand {

struct Corpus {
  TokenizerPtr tokens;
  std::string source{};          ///< one line naming the source; may be empty
  Ids train{}, valid{}, test{};  ///< [N] each; test may be empty
  /// The bytes of text that each token of a part stands for.
  struct Bytes {
    std::vector<std::uint32_t> train{}, valid{}, test{};
  } bytes{};
  /// Which tokens do not determine their bytes; empty for a part where all do.
  struct Unknown {
    std::vector<bool> train{}, valid{}, test{};
  } unknown{};
};

/// Encodes each part's text with these tokens.
Corpus in_tokens(TokenizerPtr tokens, std::string_view train, std::string_view valid, std::string_view test);

}  // namespace argand
