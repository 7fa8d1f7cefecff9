#pragma once
/// Tokens that are whitespace-separated words, with `<eos>` after every line, even if it is blank.

#include "data/tokens/tokenizer.h"
#include "data/vocabulary.h"

namespace argand {

/// The length in bytes above which a word is rejected: a text with longer ones does not consist of words.
inline constexpr std::size_t longest_word = 1000;

/// The words of a text in order of first occurrence, or the `most` most frequent of them (0: all; ties by first occurrence). Always
/// includes `<eos>` and, for all other words, `<unk>`: where it first occurs in the text, or else at the end. WikiText-2 has 33 278
/// of them, the vocabulary used for published perplexities. Throws Error for a text without words and for words that are too long,
/// naming the line.
Vocabulary words_of(std::string_view text, std::int64_t most = 0);

class WordTokens final : public Tokenizer {
 public:
  explicit WordTokens(Vocabulary words) : words_(std::move(words)) {}

  std::string kind() const override { return "words"; }
  std::int64_t size() const override { return words_.size(); }
  /// Throws Error for an unknown word if there is no `<unk>`. Drops line breaks if there is no `<eos>`.
  TokenText encode(std::string_view text) const override;
  std::string text(Id id, bool line_start) const override;
  std::string shown(Id id) const override;
  std::string shown(std::span<const Id> ids) const override;
  std::optional<Id> unknown() const override { return words_.find("<unk>"); }
  std::string file() const override { return words_.text(); }
  TokenizerPtr extended(std::string_view text, std::int64_t most) const override;

  const Vocabulary& words() const { return words_; }

 private:
  Vocabulary words_;
};

/// Rebuilds a text from its ids: each word is preceded by a space, except at the start of a line, and `<eos>` becomes a line break.
std::string text_of(const Vocabulary& words, const Ids& ids);
/// The number of bytes that each token contributes to text_of().
std::vector<std::uint32_t> bytes_of(const Vocabulary& words, const Ids& ids);

}  // namespace argand
