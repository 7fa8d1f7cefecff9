#pragma once
/// Validates a SentencePiece model before SentencePiece loads it: SentencePiece reads the file's tables without bounds checks.

#include <string>
#include <string_view>

namespace argand {

/// Settings read from a model file.
struct PieceModel {
  enum class Method { Unigram = 1, Bpe = 2, Word = 3, Char = 4 };
  Method method = Method::Unigram;
  bool dummy_prefix = true;  ///< encode each line as if it were preceded by a space
};

/// Reads the bytes of a *.model, a ModelProto of sentencepiece_model.proto. Throws Error("op: ..."), naming `name`, for truncated
/// or malformed messages, for pieces that are empty, not UTF-8, or without a finite score, and for a table of normalisation rules
/// that points outside itself.
PieceModel check_piece_model(std::string_view op, const std::string& name, std::string_view bytes);

}  // namespace argand
