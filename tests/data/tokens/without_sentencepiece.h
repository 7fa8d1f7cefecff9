#pragma once
/// For tests of pieces of words: skips them if argand was built without SentencePiece.

#include <iostream>
#include <string>

#include "data/tokens/piece_tokens.h"

namespace argand {

/// Whether a test cannot run in this build; prints that it is skipped.
inline bool without_sentencepiece(const std::string& what) {
  if (!have_sentencepiece()) std::cout << "skipped: " << what << " (built without SentencePiece)\n";
  return !have_sentencepiece();
}

}  // namespace argand
