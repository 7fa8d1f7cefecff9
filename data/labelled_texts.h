#pragma once
/// Labelled texts as input for classifiers: sequences of ids of lower-cased words.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "data/corpora/ag_news.h"
#include "data/tokens/word_tokens.h"

namespace argand {

/// The id that represents all words outside a classifier's vocabulary; id 0 is pad_id (core/tensor.h).
inline constexpr Vocabulary::Id unknown_id = 1;

/// `<pad>`, `<unk>`, and the `most` most frequent lower-cased words of the articles, most frequent first, ties in order of first
/// occurrence. Whitespace separates words.
Vocabulary frequent_words(std::span<const Article> articles, std::int64_t most);

/// The ids of a text's lower-cased words. A literal `<pad>` counts as an unknown word. Throws Error for text that is not UTF-8.
std::vector<Vocabulary::Id> classifier_ids(const Vocabulary& vocabulary, std::string_view text);

/// N texts, stored contiguously, and their labels.
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
  std::vector<std::int64_t> ends_;  ///< end of each text in tokens_
};

/// A classifier's training, validation and test data.
struct LabelledCorpus {
  std::shared_ptr<const WordTokens> tokens;
  std::vector<std::string> classes;
  LabelledTexts train, test;
  LabelledTexts valid{};               ///< empty if there is no validation set
  std::string source{};                ///< one line naming the source; may be empty
  std::vector<std::string> preview{};  ///< lines that show how a table was interpreted
};

/// The first `count` articles, or all of them if there are fewer or if count is 0.
std::span<const Article> first_articles(const std::vector<Article>& articles, std::int64_t count);

/// Takes the first `train_articles` and `test_articles` of the parts (0: all); the vocabulary holds the frequent training words.
LabelledCorpus make_labelled_corpus(const ArticleSets& sets, std::int64_t words, std::int64_t train_articles,
                                    std::int64_t test_articles);
/// All articles, encoded with this vocabulary.
LabelledCorpus make_labelled_corpus(const ArticleSets& sets, const Vocabulary& words);

/// Keeps the first `train_articles` and `test_articles` (0: all) and moves a fraction `valid_share` of the training part to the
/// validation part. The choice is random, but depends only on the number of articles.
void choose_articles(ArticleSets& sets, std::int64_t train_articles, std::int64_t test_articles, double valid_share);

}  // namespace argand
