#pragma once
/// A text for language models, in three parts that share their tokens.

#include "data/tokens/tokenizer.h"

namespace argand {

struct Corpus {
  TokenizerPtr tokens;
  std::string source{};          ///< one line that says where it is from; nothing where that goes without saying
  Ids train{}, valid{}, test{};  ///< [N] each; there may be nothing to test on
  /// How many bytes of the text each token of a part stands for.
  struct Bytes {
    std::vector<std::uint32_t> train{}, valid{}, test{};
  } bytes{};
  /// Which of them do not say which bytes these are; a part's are empty where all do.
  struct Unknown {
    std::vector<bool> train{}, valid{}, test{};
  } unknown{};
};

/// The text of each part in these tokens.
Corpus in_tokens(TokenizerPtr tokens, std::string_view train, std::string_view valid, std::string_view test);

}  // namespace argand
