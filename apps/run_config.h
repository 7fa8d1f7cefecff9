#pragma once
/// Everything that determines a training run: model, optimiser, data, steps. Two runs of equal RunConfig end in equal files.
/// What does not change the numbers (threads, where the files go) is no part of it.

#include <CLI/CLI.hpp>

#include "apps/settings.h"
#include "nn/config.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

namespace argand {

struct TrainingConfig {
  std::string data = "grammar";
  std::int64_t steps = 500;
  std::int64_t batch = 16;
  std::int64_t length = 128;
  std::int64_t accumulate = 1;
  double lr = 1e-3;
  double final_lr = 0.1;
  std::string warmup = "50";
  double clip = 1;
  std::int64_t seed = 0;
  std::string precision = "float32";
  std::int64_t eval_every = 100;
  std::int64_t checkpoint_every = 100;
  std::int64_t log_every = 1;

  /// Calls f(key, value&, choices, help) for every key, as ModelConfig::visit does.
  template <class F>
  void visit(F&& f) {
    f("data", data, "", "folder with train.txt, valid.txt, test.txt, or `grammar`: the corpus that is built in");
    f("steps", steps, "", "optimizer steps");
    f("batch", batch, "", "windows a step");
    f("length", length, "", "tokens a window");
    f("accumulate", accumulate, "", "batches whose gradients are averaged in one step");
    f("lr", lr, "", "highest learning rate");
    f("final_lr", final_lr, "", "where the cosine ends, as a fraction of lr");
    f("warmup", warmup, "", "steps of linear warm-up, or a share of all steps: 5%");
    f("clip", clip, "", "largest global norm of the gradients (0: no limit)");
    f("seed", seed, "", "of the initial parameters, the batches and the dropout");
    f("precision", precision, "float32|float64", "of all numbers");
    f("eval_every", eval_every, "", "steps between validations (0: only at the end)");
    f("checkpoint_every", checkpoint_every, "", "steps between checkpoints that are kept (0: only at the end)");
    f("log_every", log_every, "", "steps between lines of the log");
  }
};

struct RunConfig {
  ModelConfig model;
  OptimizerConfig optimizer;
  TrainingConfig training;

  template <class F>
  void visit(F&& f) {
    model.visit(f);
    optimizer.visit(f);
    training.visit(f);
  }

  /// Family's defaults < preset < file < command line. The keys `family` and `preset` may stand in either.
  /// Throws UsageError for unknown keys, with a suggestion, ill-typed values, and sizes that do not fit together.
  static RunConfig resolve(const Settings& file, const Settings& command_line);

  Schedule schedule() const;
  /// Throws UsageError for what can never work.
  void validate() const;

  std::string to_json() const;  ///< {"model": {...}, "optimizer": {...}, "training": {...}}
  static RunConfig from_json(const std::string& text);
  std::string to_toml() const;  ///< one line a key with its explanation; `--config` reads it
};

/// Names of the presets joined by '|'.
inline constexpr const char* preset_choices = "small|paper";

/// Adds an option for every key of every family and for --preset and --config to a subcommand. After parsing, the returned
/// function reads the file if there is one and resolves; the object must outlive the parsing.
class RunOptions {
 public:
  explicit RunOptions(CLI::App& command);
  RunConfig resolve() const;
  bool has_file() const { return !file_.empty(); }
  /// The options that were given, in the order of the keys.
  const Settings& given() const { return given_; }

 private:
  Settings given_;
  std::string file_;
};

}  // namespace argand
