#pragma once
/// Texts with labels as a classifier reads them: lower-cased words, by their ids.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "data/corpora/ag_news.h"
#include "data/tokens/word_tokens.h"

namespace argand {

/// The second word of a classifier's vocabulary, which stands for every other word. The first is pad_id (core/tensor.h).
inline constexpr Vocabulary::Id unknown_id = 1;

/// `<pad>`, `<unk>`, and the `most` most frequent lower-cased words of the articles, the most frequent one first; of equally
/// frequent ones the first to occur. Words are what stands between whitespace.
Vocabulary frequent_words(std::span<const Article> articles, std::int64_t most);

/// The ids of a text's lower-cased words. Text that looks like `<pad>` is an unknown word. Throws Error for text that is not UTF-8.
std::vector<Vocabulary::Id> classifier_ids(const Vocabulary& vocabulary, std::string_view text);

/// N texts, one after the other, and their labels.
class LabelledTexts {
 public:
  using Id = Vocabulary::Id;

  LabelledTexts() = default;
  LabelledTexts(std::span<const Article> articles, const Vocabulary& vocabulary);

  /// Throws Error for a text without words.
  void add(std::span<const Id> text, std::int64_t label);

  std::int64_t size() const { return static_cast<std::int64_t>(labels_.size()); }
  std::span<const Id> text(std::int64_t i) const;
  std::int64_t length(std::int64_t i) const { return end(i) - end(i - 1); }
  Id label(std::int64_t i) const { return labels_[static_cast<std::size_t>(i)]; }

 private:
  std::int64_t end(std::int64_t i) const { return i < 0 ? 0 : ends_[static_cast<std::size_t>(i)]; }

  std::vector<Id> tokens_, labels_;
  std::vector<std::int64_t> ends_;  ///< where in tokens_ each text ends
};

/// What a classifier is trained and tested on.
struct LabelledCorpus {
  std::shared_ptr<const WordTokens> tokens;
  std::vector<std::string> classes;
  LabelledTexts train, test;
  LabelledTexts valid{};               ///< may be empty: then nothing is held out to validate on
  std::string source{};                ///< one line that says where it is from; nothing where that goes without saying
  std::vector<std::string> preview{};  ///< lines that show what was understood of a table
};

/// The first `count` of them, or all when there are fewer or count is 0.
std::span<const Article> first_articles(const std::vector<Article>& articles, std::int64_t count);

/// The first `train_articles` and `test_articles` of each part (0: all), in words that are frequent in the first of them.
LabelledCorpus make_labelled_corpus(const ArticleSets& sets, std::int64_t words, std::int64_t train_articles,
                                    std::int64_t test_articles);
/// All of them in these words.
LabelledCorpus make_labelled_corpus(const ArticleSets& sets, const Vocabulary& words);

/// Keeps the first `train_articles` and `test_articles` (0: all) and makes `valid_share` of those to train on, drawn in an order
/// that depends on nothing but how many there are, the part to validate on.
void choose_articles(ArticleSets& sets, std::int64_t train_articles, std::int64_t test_articles, double valid_share);

}  // namespace argand
