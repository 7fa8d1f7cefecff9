#pragma once
/// The embedded corpus for classifiers: short reports from the kitchen, the harbour, the stage and the garden. It needs no file.
///
///   "4","every spade blooms","a gentle seed and the violin trim the hedge ."
///
/// Sentences are drawn from templates. Each noun, verb and adjective belongs to the article's topic with probability 0.55,
/// otherwise to any other topic, and all words of a kind are equally likely. A predictor that knows this construction can do no
/// better than counting each topic's words, so the best possible accuracy is known: best_possible_accuracy().

#include <cstdint>
#include <span>

#include "data/corpora/ag_news.h"

namespace argand {

/// Articles with equally likely topics, a pure function of (n_train, n_test, seed); smaller sets are prefixes of larger ones.
ArticleSets topic_articles(std::int64_t n_train, std::int64_t n_test, std::uint64_t seed);

/// The share of these particular articles that are labelled correctly by counting each topic's words; a tie among n topics counts
/// as 1/n. Throws Error for articles that did not come from topic_articles().
double best_possible_accuracy(std::span<const Article> articles);

}  // namespace argand
