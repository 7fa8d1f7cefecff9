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

/// A path as a run keeps it, to be found from every directory: absolute where there is such a file or folder. The names of what is
/// built in stay as they are.
std::string findable(const std::string& path);

/// What the configuration's task is learnt from.
TrainingData open_data(const RunConfig& config);

}  // namespace argand
