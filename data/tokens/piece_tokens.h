#pragma once
/// Tokens that are pieces of words, learnt by SentencePiece or read from one of its models. Source: Kudo and Richardson,
/// "SentencePiece: A simple and language independent subword tokenizer", EMNLP 2018.

#include "data/tokens/tokenizer.h"

namespace argand {

/// Whether argand was built with SentencePiece. Without it the functions below throw Error, which says what to install.
bool have_sentencepiece();

/// Longer lines are refused: SentencePiece needs some hundred bytes for each of theirs.
inline constexpr std::size_t longest_piece_line = std::size_t{1} << 20;

/// Up to `pieces` pieces, learnt by `kind`: `bpe` (byte pair encoding) or `unigram`. Text comes back as it was: nothing is
/// normalised, and what no piece says is said in bytes. Of more than a million lines every so many are looked at, a million.
/// The same text gives the same pieces on every machine. Throws Error when there are more characters than pieces.
TokenizerPtr learn_pieces(const std::string& kind, std::string_view text, std::int64_t pieces);

/// A SentencePiece model, of whatever kind and made by whomever. Lines are encoded one by one, as spm_encode does, and end in the
/// piece "\n", the byte piece <0x0A>, or </s>. Throws Error, naming the file, for one that is damaged or has none of these.
TokenizerPtr load_pieces(const std::string& path);

}  // namespace argand
