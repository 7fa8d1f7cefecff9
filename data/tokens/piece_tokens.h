#pragma once
/// Subword tokens (pieces), learnt by SentencePiece or loaded from a SentencePiece model. Source: Kudo and Richardson,
/// "SentencePiece: A simple and language independent subword tokenizer", EMNLP 2018.

#include "data/tokens/tokenizer.h"

namespace argand {

/// Whether argand was built with SentencePiece. Without it, the functions below throw an Error that names what to install.
bool have_sentencepiece();

/// Longer lines are refused: SentencePiece needs some hundred bytes for each byte of a line.
inline constexpr std::size_t longest_piece_line = std::size_t{1} << 20;

/// Learns up to `pieces` pieces by `kind`: `bpe` (byte pair encoding) or `unigram`. Decoding restores the text exactly: nothing is
/// normalised, and text outside the pieces is encoded as bytes. Texts of more than a million lines are sampled evenly, one million
/// lines. The same text gives the same pieces on every machine. Throws Error when there are more characters than pieces.
TokenizerPtr learn_pieces(const std::string& kind, std::string_view text, std::int64_t pieces);

/// Loads a SentencePiece model of any kind and origin. Lines are encoded one by one, as by spm_encode, and end in the piece "\n",
/// the byte piece <0x0A>, or </s>. Throws Error, naming the file, if it is damaged or has none of these pieces.
TokenizerPtr load_pieces(const std::string& path);

}  // namespace argand
