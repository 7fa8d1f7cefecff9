#pragma once
/// Tokens: what a language model reads instead of text, and how one becomes the other.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace argand {

/// A text in tokens.
struct TokenText {
  Ids ids;                           ///< [N]
  std::vector<std::uint32_t> bytes;  ///< [N] bytes of the text that each of them stands for: together all of it
  std::vector<bool> unknown{};       ///< [N] whether it does not say which bytes these are; empty where all do
};

/// Takes text apart into tokens and puts it together again. Text is UTF-8 whose lines end in "\n".
class Tokenizer {
 public:
  using Id = Ids::value_type;
  virtual ~Tokenizer() = default;

  /// `char`, `byte`, `words`, `bpe` or `unigram`.
  virtual std::string kind() const = 0;
  /// Ids are [0, size()).
  virtual std::int64_t size() const = 0;
  virtual TokenText encode(std::string_view text) const = 0;
  /// What the token adds to a text that is written one by one; `line_start`: nothing stands before it on its line. A model may have
  /// more ids than there are tokens (vocab_size): those are written as <id>.
  virtual std::string text(Id id, bool line_start) const = 0;
  /// The token by itself, for tables and drawings: never empty, on one line.
  virtual std::string shown(Id id) const = 0;
  /// Several of them on one line.
  virtual std::string shown(std::span<const Id> ids) const;
  /// The token that stands for what the others cannot say, where there is one.
  virtual std::optional<Id> unknown() const { return std::nullopt; }
  /// What a file of it says; nothing for tokens that need no file.
  virtual std::string file() const = 0;
  /// These tokens, and those of the text that they lack, of which all or, as `words_of` has it, the `most` most frequent ones; null
  /// for a kind that cannot learn any more.
  virtual std::shared_ptr<const Tokenizer> extended(std::string_view text, std::int64_t most) const;
};

using TokenizerPtr = std::shared_ptr<const Tokenizer>;

/// Which tokens a text is cut into.
struct TokenChoice {
  /// A kind; a SentencePiece model's file, named *.model; or `auto`: characters where the text has at most 256 different ones, else
  /// pieces by BPE, or bytes where argand was built without SentencePiece.
  std::string kind = "auto";
  std::int64_t words = 0;   ///< of `words`: how many of them are known, the most frequent ones; 0: all
  std::int64_t pieces = 0;  ///< of `bpe` and `unigram`: how many pieces are learnt; 0: default_pieces
};

inline constexpr std::int64_t default_pieces = 2000;
/// The kinds that are not a file's name, joined by '|'.
inline constexpr const char* token_kinds = "auto|char|byte|bpe|unigram|words";

/// Whether the choice is a SentencePiece model made elsewhere.
bool is_piece_model(std::string_view kind);

/// "words", "characters", "bytes" or "pieces": what tokens of that kind are called.
const char* plural_of(std::string_view kind);

/// Tokens learnt from a text to train on and from nothing else. Throws Error.
TokenizerPtr make_tokens(const TokenChoice& choice, std::string_view training_text);

/// "vocab.txt" or "tokens.model", what the file of such tokens is called in a run's folder; "" for bytes.
std::string token_file(std::string_view kind);
/// Reads what file() said from `path`. Throws Error, naming the file, for anything else.
TokenizerPtr load_tokens(std::string_view kind, const std::string& path);

}  // namespace argand
