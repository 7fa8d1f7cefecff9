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
  std::vector<std::uint32_t> bytes;  ///< [N] bytes of the text that each token stands for; they add up to the whole text
  std::vector<bool> unknown{};       ///< [N] whether a token does not determine its bytes; empty when all do
};

/// Converts text to tokens and back. Text is UTF-8 with "\n" line ends.
class Tokenizer {
 public:
  using Id = Ids::value_type;
  virtual ~Tokenizer() = default;

  /// `char`, `byte`, `words`, `bpe`, `unigram` or `tokenizer.json`.
  virtual std::string kind() const = 0;
  /// Ids are [0, size()).
  virtual std::int64_t size() const = 0;
  virtual TokenText encode(std::string_view text) const = 0;
  /// The text that a token adds when a text is written token by token; `line_start`: whether it is the first on its line. A model
  /// may have more ids than there are tokens (vocab_size): the excess ids are written as <id>.
  virtual std::string text(Id id, bool line_start) const = 0;
  /// The token by itself, for tables and drawings: never empty, on one line.
  virtual std::string shown(Id id) const = 0;
  /// Several tokens on one line.
  virtual std::string shown(std::span<const Id> ids) const;
  /// The token that represents text the others cannot, if any.
  virtual std::optional<Id> unknown() const { return std::nullopt; }
  /// The contents of the tokenizer's file; empty for tokenizers without one.
  virtual std::string file() const = 0;
  /// A tokenizer with these tokens and the tokens of the text that they lack: all of them, or the `most` most frequent as in
  /// `words_of`. Null for a kind that cannot be extended.
  virtual std::shared_ptr<const Tokenizer> extended(std::string_view text, std::int64_t most) const;
};

using TokenizerPtr = std::shared_ptr<const Tokenizer>;

/// How to choose the tokens for a text.
struct TokenChoice {
  /// A kind; a file, named *.model (SentencePiece) or *.json (byte-level BPE of Hugging Face's tokenizers); or `auto`: characters
  /// when the text has at most 256 different ones, otherwise pieces by BPE, or bytes when argand was built without SentencePiece.
  std::string kind = "auto";
  std::int64_t words = 0;   ///< for `words`: size of the vocabulary, the most frequent words; 0: all
  std::int64_t pieces = 0;  ///< for `bpe` and `unigram`: how many to learn; 0: default_pieces
};

inline constexpr std::int64_t default_pieces = 2000;
/// The kinds other than a file name, joined by '|'.
inline constexpr const char* token_kinds = "auto|char|byte|bpe|unigram|words";

/// Whether the choice is the name of an existing token file.
bool is_token_file(std::string_view kind);

/// "words", "characters", "bytes" or "pieces": the name of such tokens in the plural.
const char* plural_of(std::string_view kind);

/// Learns tokens from the training text alone. Throws Error.
TokenizerPtr make_tokens(const TokenChoice& choice, std::string_view training_text);

/// The name of the tokens' file in a run's folder, "vocab.txt", "tokens.model" or "tokenizer.json"; "" for bytes.
std::string token_file(std::string_view kind);
/// Reads the contents of file() from `path`. Throws Error, naming the file, for anything else.
TokenizerPtr load_tokens(std::string_view kind, const std::string& path);

}  // namespace argand
