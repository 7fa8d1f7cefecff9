#pragma once
/// Everything that determines a training run: model, optimiser, data, steps. Runs with equal RunConfig produce equal files.
/// Settings that do not affect the results (threads, output paths) are not part of it.

#include <functional>
#include <map>

#include "nn/family.h"
#include "optim/optimizer.h"
#include "optim/rate.h"
#include "train/config/settings.h"

namespace argand {

/// An upper limit for steps, epochs, sample tokens etc., low enough that sums cannot overflow.
inline constexpr std::int64_t longest_run = 1'000'000'000'000;

struct TrainingConfig {
  std::string data = "grammar";
  std::string init;
  std::string tokens = "auto";  ///< see TokenChoice
  std::string split = "90/5/5";
  std::int64_t words = 20000;
  std::string text_column, label_column, delimiter = "auto", header = "auto";  ///< see TableColumns
  double valid_share = 0;
  std::string class_weights;
  std::int64_t train_articles = 0;
  std::int64_t test_articles = 0;
  std::int64_t steps = 500;  ///< 0 until the data are known, if the number follows from the epochs
  std::int64_t epochs = 0;
  std::int64_t batch = 16;
  std::int64_t length = 128;
  std::int64_t accumulate = 1;
  double lr = 1e-3;
  double final_lr = 0.1;
  std::string warmup = "50";
  double clip = 1;
  std::int64_t seed = 0;
  std::string precision = "float32";
  std::int64_t decay_steps = 0;
  std::int64_t eval_every = 100;
  std::int64_t eval_batches = 0;
  std::int64_t early_stop = 0;
  std::string eval_protocol = "every-token";  ///< see TextProtocol
  std::string accumulate_by = "targets";
  std::string best_by = "accuracy";
  std::int64_t checkpoint_every = 100;
  std::int64_t keep = 3;
  std::int64_t milestone_every = 0;
  std::int64_t log_every = 1;
  std::int64_t sample_every = 0;
  std::int64_t sample_tokens = 50;

  /// Calls f(key, value&, choices, help) for every key of the task, as ModelConfig::visit does.
  template <class F>
  void visit(F&& f, TextTask task) {
    const bool lm = task == TextTask::Lm;
    f("data", data, "",
      lm ? "training text: one or more files, or a folder; or `grammar`, the built-in corpus"
         : "labelled texts: a table (.csv, .tsv, .jsonl), a folder with train.csv and test.csv, or AG News; or `topics`, the "
           "built-in articles");
    f("init", init, "", "start from the weights of this run or checkpoint, with its sizes, or of a safetensors or .npz file");
    f("split", split, "",
      lm ? "how to split a single text into training, validation and test parts, in percent"
         : "how to split a single table into training, validation and test parts, in percent");
    if (lm) {
      f("tokens", tokens, "",
        "kind of tokens: auto, char, byte, bpe, unigram, words, a SentencePiece FILE.model, or a tokenizer.json");
      f("words", words, "", "with `tokens` words: size of the vocabulary, which keeps the most frequent words (0: all)");
    } else {
      f("words", words, "", "size of the vocabulary: the most frequent words of the training articles");
      f("text_column", text_column, "", "table column with the texts, by name or number; detected by default");
      f("label_column", label_column, "", "table column with the labels, by name or number; detected by default");
      f("delimiter", delimiter, "auto|comma|semicolon|tab|bar", "field delimiter of a table");
      f("header", header, "auto|yes|no", "whether the first row of a table names its columns");
      f("class_weights", class_weights, "",
        "class weights in the loss: `balanced`, inversely proportional to frequency, or LABEL=WEIGHT,... (others: 1)");
      f("valid_share", valid_share, "",
        "fraction of the training texts to hold out for validation (0: none, validate on the test texts)");
      f("train_articles", train_articles, "", "train on the first N articles only (0: all)");
      f("test_articles", test_articles, "", "test on the first N articles only (0: all)");
    }
    f("steps", steps, "", epochs > 0 ? "optimizer steps, instead of epochs" : "optimizer steps");
    f("epochs", epochs, "", epochs > 0 ? "passes over the training data" : "passes over the training data, instead of steps");
    f("batch", batch, "", lm ? "windows per step" : "articles per step");
    if (lm) f("length", length, "", "tokens per window");
    f("accumulate", accumulate, "", "batches whose gradients are averaged in one step");
    if (!lm)
      f("accumulate_by", accumulate_by, "targets|batches",
        "weight of each batch in the average over `accumulate` batches: its number of articles, or equal weights");
    f("lr", lr, "", "highest learning rate");
    f("final_lr", final_lr, "", "final learning rate of the cosine schedule, as a fraction of lr");
    f("decay_steps", decay_steps, "", "steps until the cosine schedule ends; then the rate is constant (0: all steps)");
    f("warmup", warmup, "", "steps of linear warm-up, or a share of all steps: 5%");
    f("clip", clip, "", "largest global norm of the gradients (0: no limit)");
    f("seed", seed, "", "seed for the initial parameters, batches and dropout");
    f("precision", precision, "float32|float64|bf16",
      "number format; bf16: float32, but factors of large matrix products are rounded to bfloat16 (AVX512-BF16)");
    f("eval_every", eval_every, "", "steps between validations (0: only at the end; -1: after every epoch)");
    f("eval_batches", eval_batches, "", "batches per validation, evenly spread over the validation data (0: all)");
    f("early_stop", early_stop, "", "stop after this many validations in a row without improvement (0: never)");
    if (lm)
      f("eval_protocol", eval_protocol, "every-token|full-blocks",
        "which tokens to score in validations: every token, or only those in full blocks of batch x length");
    if (!lm)
      f("best_by", best_by, "accuracy|loss|f1",
        "how to choose the best validation: highest accuracy or F1, ties broken by the loss; or lowest loss");
    f("checkpoint_every", checkpoint_every, "",
      "steps between checkpoints to resume from (0: only at the end; -1: after every epoch)");
    f("keep", keep, "", "how many recent checkpoints to keep besides the last (-1: all)");
    f("milestone_every", milestone_every, "", "also keep the checkpoints at multiples of this many steps (0: none)");
    f("log_every", log_every, "", "steps between log lines");
    if (lm) {
      f("sample_every", sample_every, "", "steps between sample texts in the log (0: never; -1: after every epoch)");
      f("sample_tokens", sample_tokens, "", "tokens per sample text");
    }
  }
};

/// The knowledge base of reflection windows, and how it is searched.
struct KnowledgeConfig {
  std::string irw_file;
  std::int64_t irw_passages = 2000;
  std::int64_t irw_length = 64;
  std::int64_t irw_refresh = 0;
  std::string irw_index = "auto";

  /// Calls f(key, value&, choices, help) for every key, as ModelConfig::visit does.
  template <class F>
  void visit(F&& f) {
    f("irw_file", irw_file, "", "text to retrieve passages from; the training text by default");
    f("irw_passages", irw_passages, "", "passages drawn from the text, evenly spread (0: the whole text, end to end)");
    f("irw_length", irw_length, "", "tokens per passage");
    f("irw_refresh", irw_refresh, "", "steps between new draws and index rebuilds (0: 1 with exact search, 100 with hnsw)");
    f("irw_index", irw_index, "auto|exact|hnsw", "kind of search; auto: approximate (hnsw) for 20000 passages or more");
  }
};

struct RunConfig {
  ModelConfig model;
  OptimizerConfig optimizer;
  TrainingConfig training;
  KnowledgeConfig knowledge;       ///< only for families that retrieve
  bool classes_from_data = false;  ///< n_classes was not given and is taken from the data
  bool tokens_of_init = false;     ///< no tokens were requested, so they are taken from the run in `init`

  /// Whether the model uses retrieval.
  bool has_windows() const { return !model.windows().layers.empty(); }

  template <class F>
  void visit(F&& f) {
    model.visit(f);
    optimizer.visit(f);
    training.visit(f, model.task);
    if (model.family().uses_retrieval) knowledge.visit(f);
  }

  /// Precedence: family's defaults < preset < `file` < `given`. The keys `family`, `task` and `preset` may be in either of the
  /// last two; `task` is the default task. Throws ConfigError for unknown keys, with a suggestion, for values of the
  /// wrong type, and for inconsistent sizes.
  static RunConfig resolve(const Settings& file, const Settings& given, const std::string& task = "lm");

  /// The configuration of a run that resumes with changed settings; train/config/changes.h lists those that can change. If only
  /// `steps` or `epochs` differ, the learning rate keeps its schedule and then stays at its final value. Throws ConfigError for
  /// invalid settings.
  RunConfig extended(const Settings& more) const;
  /// The schedule over all `training.steps`, which must be known.
  WarmupCosine schedule() const;
  /// Throws ConfigError for values that are invalid for any data.
  void validate() const;

  std::string to_json()
      const;  ///< {"model": {...}, "optimizer": {...}, "training": {...}}, plus "knowledge" if the family uses retrieval
  static RunConfig from_json(const std::string& text);
  std::string to_toml() const;  ///< one line per key, with its help text; read_settings reads it back
};

/// Calls f(config) with the defaults of every family for the task.
void for_each_family(TextTask task, const std::function<void(RunConfig&)>& f);
/// Maps every key of this task to the families that have it.
std::map<std::string, std::vector<std::string>, std::less<>> families_by_key(TextTask task);

}  // namespace argand
