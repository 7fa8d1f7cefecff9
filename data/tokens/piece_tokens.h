#pragma once
/// Subword tokens (pieces), learned by SentencePiece or loaded from a SentencePiece model. Source: Kudo and Richardson,
/// "SentencePiece: A simple and language independent subword tokenizer", EMNLP 2018.

#include "data/tokens/tokenizer.h"

namespace argand {

/// Whether argand was built with SentencePiece. Otherwise, the functions below throw an Error that explains what to install.
bool have_sentencepiece();

/// Longer lines are rejected: SentencePiece needs several hundred bytes of memory for each byte of a line.
inline constexpr std::size_t longest_piece_line = std::size_t{1} << 20;

/// Learns up to `pieces` pieces by `kind`: `bpe` (byte pair encoding) or `unigram`. Decoding restores the text exactly: nothing is
/// normalised, and text outside the pieces is encoded as bytes. A text of more than a million lines is sampled evenly down to one
/// million. The same text gives the same pieces on every machine. Throws Error if there are more distinct characters than pieces.
TokenizerPtr learn_pieces(const std::string& kind, std::string_view text, std::int64_t pieces);

/// Loads a SentencePiece model of any kind and origin. Lines are encoded one by one, as spm_encode does, and end with the piece
/// "\n", the byte piece <0x0A>, or </s>. Throws Error, naming the file, if it is damaged or has none of these pieces.
TokenizerPtr load_pieces(const std::string& path);

}  // namespace argand
