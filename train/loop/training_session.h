#pragma once
/// A training run in a folder: takes steps and writes log lines, validations and checkpoints when they are due. With several ranks
/// each has a session, and all call the same functions together; only the first rank touches the folder.

#include <functional>
#include <memory>
#include <optional>

#include "train/checkpoints/run_folder.h"
#include "train/loop/training_run.h"

namespace argand {

class JsonLines;

/// The result of advance().
struct Advance {
  StepReport step;
  double seconds = 0;                    ///< of the step alone
  std::optional<Evaluation> validation;  ///< when one was due
  bool is_best = false;                  ///< whether that validation is the best so far
  std::optional<std::string> sample;     ///< when one was due
};

template <RealScalar R>
class TrainingSession {
 public:
  /// Starts a new run: creates the folder (see RunFolder::create) and writes configuration, words, labels and the checkpoint of
  /// step 0. `weights` replace the random initial weights; then the checkpoint of step 0 is kept, because it cannot be reproduced.
  TrainingSession(const RunFolder& folder, bool overwrite, const RunConfig& config, const TrainingData& data,
                  const InitialWeights* weights = nullptr, Ranks& ranks = single_process());
  /// Resumes from a checkpoint of the folder, opened after the folder was locked, bit for bit as if never stopped. Throws Error
  /// when the data have changed. `longer`: the configuration for TrainingRun::extend, which is written to the folder; null: that of
  /// the checkpoint. The log records a change of the learning rate.
  TrainingSession(const RunFolder& folder, RunLock lock, const Checkpoint& last, const TrainingData& data,
                  const RunConfig* longer = nullptr, Ranks& ranks = single_process());

  ~TrainingSession();

  bool finished() const { return run_.finished(); }
  /// Takes steps until the run has ended or a rank has received a signal; returns that signal, or 0 at the end. `received` returns
  /// the signal that this rank has received, or 0. `seen` is called after every step, on the first rank only.
  int advance_all(const std::function<int()>& received, const std::function<void(Advance&&)>& seen);
  /// Sets the function that generates a sample every `sample_every` steps; it must depend on the run's state alone. It returns
  /// nothing when interrupted; the sample is then generated when the run resumes.
  void sample_with(std::function<std::optional<std::string>()> sampler) { sampler_ = std::move(sampler); }
  /// Takes one step and does what is due after it: a log line, a validation, a sample, checkpoints.
  Advance advance();
  /// Writes last.safetensors now, also when the folder was moved. Throws Error on failure, for example when the folder was removed.
  void save();

  TrainingRun<R>& run() { return run_; }
  const RunFolder& folder() const { return folder_; }
  /// Which initial weights were loaded; empty if there were none.
  const std::optional<FittedWeights>& fitted_weights() const { return fitted_weights_; }
  /// The number of damaged lines in the log, which are kept; 0 on ranks that do not write it.
  std::int64_t damaged_lines() const;

 private:
  /// Calls f(); errors name the folder by its usual path.
  template <class F>
  void in_folder(const F& f) const;
  void make_files(bool overwrite, const TrainingData& data, const InitialWeights* weights);
  void open_files();
  void write_changes(const RunConfig& before, bool extended);
  void write_config() const;
  /// Logs the run's environment (made_by(), ranks, parameters), unless the last such line in the log is the same.
  void log_maker();
  /// Generates a sample and logs it.
  std::optional<std::string> sample();
  /// Removes kept checkpoints that are neither among the newest nor milestones.
  void prune() const;
  void log_step(const Advance& advance);
  void log_validation(const Advance& advance);

  RunFolder folder_;
  Ranks& ranks_;
  TrainingRun<R> run_;
  RunLock lock_;
  std::unique_ptr<JsonLines> log_;
  std::optional<FittedWeights> fitted_weights_;
  std::function<std::optional<std::string>()> sampler_;
  bool sample_pending_ = false;  ///< a sample was due at the step where the run resumes
};

}  // namespace argand
