#pragma once
/// Skips tests of word pieces if argand was built without SentencePiece.

#include <iostream>
#include <string>

#include "data/tokens/piece_tokens.h"

namespace argand {

/// Whether this build lacks SentencePiece; if so, prints that the test is skipped.
inline bool without_sentencepiece(const std::string& what) {
  if (!have_sentencepiece()) std::cout << "skipped: " << what << " (built without SentencePiece)\n";
  return !have_sentencepiece();
}

}  // namespace argand
