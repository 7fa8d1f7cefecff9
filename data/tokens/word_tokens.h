#pragma once
/// Tokens that are words between whitespace, and `<eos>` after every line, blank ones too.

#include "data/tokens/tokenizer.h"
#include "data/vocabulary.h"

namespace argand {

/// Words of more bytes are refused: such a text has no words.
inline constexpr std::size_t longest_word = 1000;

/// The words of a text in the order in which they first occur, `<eos>` among them, or of these the `most` most frequent ones (0:
/// all; of equally frequent ones the first to occur) with `<eos>`; and `<unk>`, which stands for every other word: where the text
/// has it, else at the end. Of WikiText-2 all are 33 278, the ids that perplexities are published for. Throws Error for a text
/// without words and for words that are too long, naming the line.
Vocabulary words_of(std::string_view text, std::int64_t most = 0);

class WordTokens final : public Tokenizer {
 public:
  explicit WordTokens(Vocabulary words) : words_(std::move(words)) {}

  std::string kind() const override { return "words"; }
  std::int64_t size() const override { return words_.size(); }
  /// Throws Error for an unknown word when there is no `<unk>`. Line ends are left out where there is no `<eos>`.
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

/// A text of which only the ids are there: words with a space before them, but at the beginning of a line, and `<eos>` as a line
/// end.
std::string text_of(const Vocabulary& words, const Ids& ids);
/// How many bytes of it each token stands for.
std::vector<std::uint32_t> bytes_of(const Vocabulary& words, const Ids& ids);

}  // namespace argand
