#pragma once
/// The embedded corpus for classifiers: short reports from the kitchen, the harbour, the stage and the garden. It needs no file.
///
///   "4","every spade blooms","a gentle seed and the violin trim the hedge ."
///
/// Sentences are drawn from templates. Each noun, verb and adjective belongs to the article's own topic with probability 0.55,
/// otherwise to any other, and all words of a kind are equally likely. Even with the construction known, no predictor can do better
/// than count each topic's words, so the best accuracy is known: best_possible_accuracy().

#include <cstdint>
#include <span>

#include "data/corpora/ag_news.h"

namespace argand {

/// Articles with equally likely topics, a pure function of (n_train, n_test, seed); smaller sets are prefixes of larger ones.
ArticleSets topic_articles(std::int64_t n_train, std::int64_t n_test, std::uint64_t seed);

/// The share of these very articles that counting each topic's words labels correctly; among n tied topics the right one is chosen
/// once in n times. Throws Error for articles that are not topic_articles().
double best_possible_accuracy(std::span<const Article> articles);

}  // namespace argand
