#pragma once
/// Opens the data specified in a configuration.

#include <string>

#include "data/corpora/labelled_table.h"
#include "train/checkpoints/trained_run.h"
#include "train/data/task.h"

namespace argand {

/// `grammar`: the embedded corpus, with a million words of training text. Otherwise the user's text (find_text): a single file is
/// split into parts as configured, and the configured tokens are learned from the training part. `auto` chooses words for a text
/// that contains <unk>, as WikiText does. Throws Error.
Corpus open_corpus(const RunConfig& config);
/// The same corpus, encoded with existing tokens.
Corpus open_corpus(const RunConfig& config, const TokenizerPtr& tokens);

/// How to read a table, according to the configuration.
TableColumns columns_of(const TrainingConfig& training);

/// `topics`: the embedded articles, with 4 000 training articles. Otherwise a folder laid out like AG News. Throws Error.
ArticleSets open_articles(const std::string& data);
/// The same articles, or user-supplied tables (data/corpora/labelled_table.h): a folder with train.csv and optionally valid.csv and
/// test.csv (or .tsv, .jsonl), or one table, split as configured after a permutation that depends only on its size. The
/// configuration sets how many articles each part has and how many are held out. `classes`: the classes of a run, in the order of
/// their ids; if empty, they are taken from the tables. Throws Error.
ArticleSets open_articles(const RunConfig& config, const std::vector<std::string>& classes = {});

/// The whole table at `path`, labelled with these classes.
std::vector<Article> open_table(const RunConfig& config, const std::string& path, const std::vector<std::string>& classes);

/// Converts the articles to ids of words that are learned from the training articles.
LabelledCorpus labelled_corpus(const RunConfig& config, const ArticleSets& sets);

/// One path, or several separated by commas; those of existing files and folders are made absolute, so that a run can find them
/// from any directory. Anything else, such as the name of built-in data, is returned unchanged.
std::string with_absolute_paths(const std::string& path);

/// The training data for the configuration's task.
TrainingData open_data(const RunConfig& config);
/// The training data for a language model that starts from another one and uses its tokens. If they are characters or words, those
/// that are new in the data are added. Updates the configuration accordingly.
TrainingData open_data_like(RunConfig& config, const TrainedRun& before);
/// The training data of a run, encoded with the run's tokens. Throws Error if words are missing from the vocabulary.
TrainingData open_data(const RunConfig& config, const TrainedRun& trained);

}  // namespace argand
