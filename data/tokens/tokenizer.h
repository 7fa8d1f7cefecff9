#pragma once
/// Tokens, the input units of a language model, and the conversion of text to tokens and back.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace argand {

/// A text converted to tokens.
struct TokenText {
  Ids ids;                           ///< [N]
  std::vector<std::uint32_t> bytes;  ///< [N] bytes of text per token; their sum is the length of the text
  std::vector<bool> unknown{};       ///< [N] whether a token does not determine its bytes; empty if all tokens do
};

/// Converts text to tokens and back. Text is UTF-8 with "\n" line endings.
class Tokenizer {
 public:
  using Id = Ids::value_type;
  virtual ~Tokenizer() = default;

  /// `char`, `byte`, `words`, `bpe`, `unigram` or `tokenizer.json`.
  virtual std::string kind() const = 0;
  /// Ids are [0, size()).
  virtual std::int64_t size() const = 0;
  virtual TokenText encode(std::string_view text) const = 0;
  /// The text that a token adds when text is generated token by token; `line_start` says whether the token comes first on its line.
  /// A model may have more ids (vocab_size) than there are tokens: the excess ids are written as <id>.
  virtual std::string text(Id id, bool line_start) const = 0;
  /// The token as displayed in tables and drawings: never empty, always on one line.
  virtual std::string shown(Id id) const = 0;
  /// Several tokens, displayed on one line.
  virtual std::string shown(std::span<const Id> ids) const;
  /// The token that represents text outside the vocabulary, if there is one.
  virtual std::optional<Id> unknown() const { return std::nullopt; }
  /// The contents of the tokenizer's file; empty for tokenizers without one.
  virtual std::string file() const = 0;
  /// A copy extended by the tokens that the text needs: all of them, or the `most` most frequent as in `words_of`. Returns null for
  /// a kind that cannot be extended.
  virtual std::shared_ptr<const Tokenizer> extended(std::string_view text, std::int64_t most) const;
};

using TokenizerPtr = std::shared_ptr<const Tokenizer>;

/// How to choose the tokens for a text.
struct TokenChoice {
  /// A kind; a file, named *.model (SentencePiece) or *.json (byte-level BPE of Hugging Face's tokenizers); or `auto`: characters
  /// if the text has at most 256 distinct ones, else pieces by BPE, or bytes if argand was built without SentencePiece.
  std::string kind = "auto";
  std::int64_t words = 0;   ///< for `words`: vocabulary size, keeping the most frequent; 0: all
  std::int64_t pieces = 0;  ///< for `bpe` and `unigram`: number of pieces to learn; 0: default_pieces
};

inline constexpr std::int64_t default_pieces = 2000;
/// All kinds that are not file names, joined by '|'.
inline constexpr const char* token_kinds = "auto|char|byte|bpe|unigram|words";

/// Whether the choice names an existing token file.
bool is_token_file(std::string_view kind);

/// What tokens of this kind are called in the plural: "words", "characters", "bytes" or "pieces".
const char* plural_of(std::string_view kind);

/// Learns tokens from the training text only. Throws Error.
TokenizerPtr make_tokens(const TokenChoice& choice, std::string_view training_text);

/// The name of the token file in a run's folder, "vocab.txt", "tokens.model" or "tokenizer.json"; "" for bytes.
std::string token_file(std::string_view kind);
/// Loads a tokenizer from `path`, which holds the contents of its file(). Throws Error, naming the file, for anything else.
TokenizerPtr load_tokens(std::string_view kind, const std::string& path);

}  // namespace argand
