#pragma once
/// What SentencePiece believes of a model's file, checked before it sees the file: it reads tables in it without looking where they
/// end.

#include <string>
#include <string_view>

namespace argand {

/// What a model says of itself.
struct PieceModel {
  enum class Method { Unigram = 1, Bpe = 2, Word = 3, Char = 4 };
  Method method = Method::Unigram;
  bool dummy_prefix = true;  ///< a line is encoded as if a space stood before it
};

/// Reads the bytes of a *.model, a ModelProto of sentencepiece_model.proto. Throws Error, starting with `op` and naming `name`, for
/// messages that are cut off or ill-formed, pieces that are empty, not UTF-8, or scored by no finite number, and a table of
/// normalisation rules that points out of itself.
PieceModel check_piece_model(std::string_view op, const std::string& name, std::string_view bytes);

}  // namespace argand
