#pragma once
/// The embedded corpus of classifiers: short reports from the kitchen, the harbour, the stage and the garden. No file is needed.
///
///   "4","every spade blooms","a gentle seed and the violin trim the hedge ."
///
/// Sentences are drawn from templates. Each noun, verb and adjective in them is the own topic's with probability 0.55, otherwise
/// any other's, and all words of a kind are equally likely. So whoever knows how the texts are made can do no better than count
/// whose words there are most of, and what that comes to is known: best_possible_accuracy().

#include <cstdint>
#include <span>

#include "data/corpora/ag_news.h"

namespace argand {

/// Articles of equally likely topics, a pure function of (n_train, n_test, seed); smaller sets are the beginnings of larger ones.
ArticleSets topic_articles(std::int64_t n_train, std::int64_t n_test, std::uint64_t seed);

/// The share of these very articles that are labelled rightly by who counts the words of each topic; of n topics that have equally
/// many the right one is found once in n times. Throws Error for articles that are not topic_articles().
double best_possible_accuracy(std::span<const Article> articles);

}  // namespace argand
