#include "data/labelled_texts.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/error.h"
#include "data/files/text_file.h"
#include "data/lowercase.h"
#include "data/random_order.h"

namespace argand {
namespace {

constexpr std::uint64_t held_out_stream = 0x76616c6964;

template <class F>
void for_each_word(std::string_view text, const F& f) {
  const std::string lower = lowercase(text);
  std::string_view rest = lower;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) f(word);
}

}  // namespace

Vocabulary frequent_words(std::span<const Article> articles, std::int64_t most) {
  struct Word {
    std::string text;
    std::int64_t count = 0;
  };
  std::vector<Word> words;  // in order of first occurrence
  std::unordered_map<std::string, std::size_t> places;
  for (const Article& article : articles)
    for_each_word(article.text(), [&](std::string_view word) {
      const auto [at, is_new] = places.emplace(word, words.size());
      if (is_new) words.push_back({std::string(word)});
      ++words[at->second].count;
    });
  std::stable_sort(words.begin(), words.end(), [](const Word& a, const Word& b) { return a.count > b.count; });
  Vocabulary vocabulary;
  vocabulary.add("<pad>");
  vocabulary.add("<unk>");
  for (const Word& word : words) {
    if (vocabulary.size() == most + 2) break;
    vocabulary.add(word.text);
  }
  return vocabulary;
}

std::vector<Vocabulary::Id> classifier_ids(const Vocabulary& vocabulary, std::string_view text) {
  std::vector<Vocabulary::Id> ids;
  for_each_word(text, [&](std::string_view word) {
    const Vocabulary::Id id = vocabulary.find(word).value_or(unknown_id);
    ids.push_back(id == pad_id ? unknown_id : id);
  });
  return ids;
}

LabelledTexts::LabelledTexts(std::span<const Article> articles, const Vocabulary& vocabulary) {
  for (const Article& article : articles) add(classifier_ids(vocabulary, article.text()), article.label);
}

void LabelledTexts::add(std::span<const Id> text, std::int64_t label) {
  require(!text.empty(), "texts", "text {} has no words", size());
  tokens_.insert(tokens_.end(), text.begin(), text.end());
  ends_.push_back(static_cast<std::int64_t>(tokens_.size()));
  labels_.push_back(static_cast<Id>(label));
}

std::span<const Vocabulary::Id> LabelledTexts::text(std::int64_t i) const {
  require(i >= 0 && i < size(), "texts", "text {} is out of range for {} texts", i, size());
  return std::span(tokens_).subspan(static_cast<std::size_t>(end(i - 1)), static_cast<std::size_t>(length(i)));
}

std::span<const Article> first_articles(const std::vector<Article>& articles, std::int64_t count) {
  const auto n = count > 0 ? std::min(articles.size(), static_cast<std::size_t>(count)) : articles.size();
  return {articles.data(), n};
}

LabelledCorpus make_labelled_corpus(const ArticleSets& sets, std::int64_t words, std::int64_t train_articles,
                                    std::int64_t test_articles) {
  ArticleSets chosen = sets;
  choose_articles(chosen, train_articles, test_articles, 0);
  return make_labelled_corpus(chosen, frequent_words(chosen.train, words));
}

LabelledCorpus make_labelled_corpus(const ArticleSets& sets, const Vocabulary& words) {
  return {.tokens = std::make_shared<WordTokens>(words),
          .classes = sets.classes,
          .train = LabelledTexts(sets.train, words),
          .test = LabelledTexts(sets.test, words),
          .valid = LabelledTexts(sets.valid, words),
          .source = sets.source,
          .preview = sets.preview};
}

void choose_articles(ArticleSets& sets, std::int64_t train_articles, std::int64_t test_articles, double valid_share) {
  sets.train.resize(first_articles(sets.train, train_articles).size());
  sets.test.resize(first_articles(sets.test, test_articles).size());
  if (valid_share <= 0) return;
  const auto n = static_cast<std::uint64_t>(sets.train.size());
  const auto n_valid = static_cast<std::uint64_t>(std::max(1.0, std::round(valid_share * static_cast<double>(n))));
  require(n_valid < n, "data", "valid_share {} holds out all {} training texts", valid_share, n);
  std::vector<bool> held_out(n);
  for (std::uint64_t i = 0; i < n_valid; ++i) held_out[permuted(i, n, Random(0, held_out_stream))] = true;
  std::vector<Article> kept;
  for (std::size_t i = 0; i < n; ++i) (held_out[i] ? sets.valid : kept).push_back(std::move(sets.train[i]));
  sets.train = std::move(kept);
}

}  // namespace argand
