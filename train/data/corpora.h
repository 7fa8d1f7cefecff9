#pragma once
/// The data that the configuration may name.

#include <string>

#include "data/corpora/labelled_table.h"
#include "train/checkpoints/trained_run.h"
#include "train/data/task.h"

namespace argand {

/// `grammar`: the embedded corpus, a million words of it to train on. Otherwise a text of the user's (find_text), cut into parts as
/// the configuration says where it is in one piece, and into the tokens that it names, learnt from the part to train on. Of `auto`,
/// a text that says <unk>, as WikiText does, is one in words. Throws Error.
Corpus open_corpus(const RunConfig& config);
/// The same in tokens that are there already.
Corpus open_corpus(const RunConfig& config, const TokenizerPtr& tokens);

/// How the configuration says that a table is to be read.
TableColumns columns_of(const TrainingConfig& training);

/// `topics`: the embedded articles, 4 000 of them to train on. Otherwise a folder laid out like AG News. Throws Error.
ArticleSets open_articles(const std::string& data);
/// These, or tables of the user's (data/corpora/labelled_table.h): a folder with train.csv, and valid.csv and test.csv as far as
/// they are there, or .tsv or .jsonl; or one table, divided as the configuration says in an order that depends on nothing but its
/// size. As many of each part, and held out, as the configuration says. `classes`: those of a run, whose numbers the labels of
/// tables get; empty: those that the tables have. Throws Error.
ArticleSets open_articles(const RunConfig& config, const std::vector<std::string>& classes = {});

/// The table of that path, all of it, with labels of these classes.
std::vector<Article> open_table(const RunConfig& config, const std::string& path, const std::vector<std::string>& classes);

/// Articles in words that are learnt from those to train on.
LabelledCorpus labelled_corpus(const RunConfig& config, const ArticleSets& sets);

/// A path as a run keeps it, to be found from every directory: absolute where there is such a file or folder, and so each of
/// several with commas between them. What is not there stays as it is, as the names of what is built in do.
std::string findable(const std::string& path);

/// The training data of the configuration's task.
TrainingData open_data(const RunConfig& config);
/// For a language model that begins with another one and has its tokens: those, and of characters and words those besides that
/// these data have. The configuration then says so.
TrainingData open_data_like(RunConfig& config, const TrainedRun& before);
/// The same as a run has it, whose tokens are not learnt again. Throws Error when it cannot be the same: words are missing.
TrainingData open_data(const RunConfig& config, const TrainedRun& trained);

}  // namespace argand
