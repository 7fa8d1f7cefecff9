#include "train/data/corpora.h"

#include <filesystem>

#include "data/corpora/grammar.h"
#include "data/corpora/text_parts.h"
#include "data/corpora/topics.h"
#include "data/files/table.h"
#include "data/tokens/word_tokens.h"
#include "train/config/config_error.h"

namespace argand {
namespace {

namespace fs = std::filesystem;

// The embedded corpus does not depend on the seed, so that runs are comparable.
Corpus grammar_corpus() { return Grammar().corpus(1'000'000, 20'000, 20'000, 0); }

bool is_grammar(const RunConfig& config) { return config.training.data == "grammar"; }

/// The embedded corpus as text.
TextParts grammar_text() {
  const Corpus corpus = grammar_corpus();
  const Vocabulary& words = static_cast<const WordTokens&>(*corpus.tokens).words();
  return {text_of(words, corpus.train), text_of(words, corpus.valid), text_of(words, corpus.test)};
}

/// A text and its origin: `files` and `source` are empty for the embedded corpus.
struct OpenText {
  TextFiles files;
  TextParts parts;
  std::string source;

  Corpus in(TokenizerPtr tokens) const {
    Corpus corpus = in_tokens(std::move(tokens), parts.train, parts.valid, parts.test);
    corpus.source = source;
    return corpus;
  }
};

OpenText open_text(const RunConfig& config) {
  if (is_grammar(config)) return {{}, grammar_text(), ""};
  const Split split = parse_split(config.training.split);
  OpenText text{find_text(config.training.data), {}, ""};
  text.parts = read_parts(text.files, split);
  text.source = description(text.files, split, text.parts);
  return text;
}

/// Whether the run's vocabulary consists of the words of all parts of the data, in order of first occurrence. Older runs, which
/// have no checksums, can only be identified this way.
bool uses_all_words(const RunConfig& config, const TrainedRun& trained) {
  if (is_grammar(config)) return trained.words() == Grammar().vocabulary();
  const TextParts parts = open_text(config).parts;
  Vocabulary words = trained.words();
  words.add("<unk>");
  return words == words_of(parts.train + parts.valid + parts.test);
}

// ------------------------------------------------------------------------------------------------ tables

/// The table for each part; empty for a part to be taken from the training table.
struct TableFiles {
  std::string train, valid, test;
};

TableFiles find_tables(const std::string& data) {
  std::error_code ignored;
  require(fs::exists(data, ignored), "data",
          "{} does not exist; `data` takes a table (.csv, .tsv, .jsonl) or a folder with train.csv or similar", data);
  if (!fs::is_directory(data, ignored)) {
    require(is_table(data), "data", "{} is not a table; tables end in .csv, .tsv or .jsonl", data);
    return {data, "", ""};
  }
  const auto part = [&](const std::string& name) {
    for (const char* ending : {".csv", ".tsv", ".tab", ".jsonl", ".ndjson"})
      if (const fs::path path = fs::path(data) / (name + ending); fs::exists(path, ignored)) return path.string();
    const std::string lines = (fs::path(data) / (name + ".txt")).string();
    return has_fasttext_labels(lines) ? lines : "";
  };
  const TableFiles files{part("train"), part("valid"), part("test")};
  require(!files.train.empty(), "data", "{} has no train.csv, train.tsv or train.jsonl; for a single table, give the file itself",
          data);
  return files;
}

/// Holds out this fraction of the articles: the last ones in a permutation that depends only on the number of articles.
std::vector<Article> hold_out(std::vector<Article>& articles, double share) {
  ArticleSets sets{.classes = {}, .train = std::move(articles), .test = {}};
  choose_articles(sets, 0, 0, share);
  articles = std::move(sets.train);
  return std::move(sets.valid);
}

ArticleSets table_articles(const TrainingConfig& t, const std::vector<std::string>& classes) {
  const TableFiles files = find_tables(t.data);
  const LabelledTable train = read_labelled_table(files.train, columns_of(t));
  ArticleSets sets{.classes = classes.empty() ? classes_in(train) : classes, .train = {}, .test = {}};
  const auto open = [&](const std::string& path) {
    return path.empty() ? std::vector<Article>() : as_articles(read_labelled_table(path, columns_of(t)), sets.classes);
  };
  sets.train = as_articles(train, sets.classes);
  sets.valid = open(files.valid);
  sets.test = open(files.test);
  const auto name = [](const std::string& path) { return fs::path(path).filename().string(); };
  sets.source = fmt::format("{}: {}; {} classes", name(files.train), train.columns, sets.classes.size());
  sets.preview = preview_of(train);
  const Split split = parse_split(t.split);
  if (files.test.empty() && files.valid.empty()) {
    if (split.test > 0) sets.test = hold_out(sets.train, split.test / 100);
    if (t.valid_share == 0) sets.valid = hold_out(sets.train, split.valid / (split.train + split.valid));
    sets.source += ", divided at random";
  }
  return sets;
}

}  // namespace

TableColumns columns_of(const TrainingConfig& t) {
  const auto delimiter = [&]() -> char {
    if (t.delimiter == "comma") return ',';
    if (t.delimiter == "semicolon") return ';';
    if (t.delimiter == "tab") return '\t';
    return t.delimiter == "bar" ? '|' : '\0';
  };
  TableColumns columns{.text = t.text_column, .label = t.label_column, .delimiter = delimiter()};
  if (t.header != "auto") columns.header = t.header == "yes";
  return columns;
}

Corpus open_corpus(const RunConfig& config) {
  TokenChoice choice{.kind = config.training.tokens, .words = config.training.words, .pieces = config.model.vocab_size};
  if (is_grammar(config) && (choice.kind == "auto" || choice.kind == "words")) return grammar_corpus();
  const OpenText text = open_text(config);
  // A text that contains <unk> has already been split into words, as in WikiText.
  if (choice.kind == "auto" && (text.parts.train.find(" <unk> ") != std::string::npos || choice.words > 0)) choice.kind = "words";
  return text.in(make_tokens(choice, text.parts.train));
}

Corpus open_corpus(const RunConfig& config, const TokenizerPtr& tokens) {
  if (is_grammar(config))
    if (Corpus corpus = grammar_corpus(); corpus.tokens->kind() == tokens->kind() && corpus.tokens->file() == tokens->file())
      return corpus;
  return open_text(config).in(tokens);
}

ArticleSets open_articles(const std::string& data) {
  if (data == "topics") return topic_articles(4000, 1000, 0);
  return load_ag_news(data);
}

std::string with_absolute_paths(const std::string& data) {
  if (data == "grammar" || data == "topics") return data;
  std::string found;
  for (const std::string& path : text_names(data)) {
    std::error_code ignored;
    found += found.empty() ? "" : ",";
    found += fs::exists(path, ignored) ? fs::absolute(path).lexically_normal().string() : path;
  }
  return found;
}

ArticleSets open_articles(const RunConfig& config, const std::vector<std::string>& classes) {
  const TrainingConfig& t = config.training;
  const bool known = t.data == "topics" || fs::exists(fs::path(t.data) / "classes.txt");
  ArticleSets sets = known ? open_articles(t.data) : table_articles(t, classes);
  if (t.valid_share > 0 && !sets.valid.empty())
    config_fail("valid_share", "{} already has a validation part; drop `valid_share`, or set `split` if it is a single table",
                t.data);
  choose_articles(sets, t.train_articles, t.test_articles, t.valid_share);
  return sets;
}

std::vector<Article> open_table(const RunConfig& config, const std::string& path, const std::vector<std::string>& classes) {
  return as_articles(read_labelled_table(path, columns_of(config.training)), classes);
}

LabelledCorpus labelled_corpus(const RunConfig& config, const ArticleSets& sets) {
  return make_labelled_corpus(sets, frequent_words(sets.train, config.training.words));
}

TrainingData open_data(const RunConfig& config) {
  if (config.model.task == TextTask::Lm) return open_corpus(config);
  return labelled_corpus(config, open_articles(config));
}

TrainingData open_data_like(RunConfig& config, const TrainedRun& before) {
  config.training.tokens = before.checkpoint.config().training.tokens;
  const OpenText text = open_text(config);
  TokenizerPtr tokens = before.tokens->extended(text.parts.train, config.training.words);
  if (!tokens) tokens = before.tokens;
  return is_grammar(config) ? open_corpus(config, tokens) : text.in(tokens);
}

TrainingData open_data(const RunConfig& config, const TrainedRun& trained) {
  if (config.model.task == TextTask::Lm) {
    require(trained.checkpoint.state().made_from.any() || uses_all_words(config, trained), "train",
            "the words in the data do not match those of {}: the data have changed since the run began",
            trained.checkpoint.file().path());
    return open_corpus(config, trained.tokens);
  }
  return make_labelled_corpus(open_articles(config, trained.classes), trained.words());
}

}  // namespace argand
