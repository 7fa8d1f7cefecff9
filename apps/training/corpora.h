#pragma once
/// The data that --data may name.

#include <string>

#include "apps/training/task.h"
#include "data/corpora/ag_news.h"

namespace argand {

/// `grammar`: the embedded corpus, a million words of it to train on. Otherwise a folder laid out like WikiText-2.
/// Throws Error.
Corpus open_corpus(const std::string& data);

/// `topics`: the embedded articles, 4 000 of them to train on. Otherwise a folder laid out like AG News. Throws Error.
ArticleSets open_articles(const std::string& data);

/// What the configuration's task is learnt from.
TrainingData open_data(const RunConfig& config);

}  // namespace argand
