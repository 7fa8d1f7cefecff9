#pragma once
/// A training run in a folder: takes steps and writes log lines, validations and checkpoints when they are due. With several ranks,
/// each has a session and all call the same functions together; only the first rank accesses the folder.

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
  double seconds = 0;                    ///< time for the step only
  std::optional<Evaluation> validation;  ///< set if a validation was due
  bool is_best = false;                  ///< whether that validation is the best so far
  std::optional<std::string> sample;     ///< set if a sample was due
};

template <RealScalar R>
class TrainingSession {
 public:
  /// Starts a new run: creates the folder (see RunFolder::create) and writes configuration, tokens, labels and the checkpoint of
  /// step 0. If `weights` replace the random initial weights, the checkpoint of step 0 is kept, because it cannot be reproduced.
  TrainingSession(const RunFolder& folder, bool overwrite, const RunConfig& config, const TrainingData& data,
                  const InitialWeights* weights = nullptr, Ranks& ranks = single_process());
  /// Resumes from a checkpoint in the folder, opened after the folder was locked, bit for bit as if training had never stopped.
  /// Throws Error if the data have changed. `longer` is the configuration for TrainingRun::extend and is written to the folder; if
  /// null, the checkpoint's configuration is used. The log records a change in the learning rate.
  TrainingSession(const RunFolder& folder, RunLock lock, const Checkpoint& last, const TrainingData& data,
                  const RunConfig* longer = nullptr, Ranks& ranks = single_process());

  ~TrainingSession();

  bool finished() const { return run_.finished(); }
  /// Takes steps until the run has ended or a rank has received a signal; returns this signal, or 0 at the end. `received` returns
  /// the signal received by this rank, or 0. `seen` is called after every step, on the first rank only.
  int advance_all(const std::function<int()>& received, const std::function<void(Advance&&)>& seen);
  /// Sets the function that generates a sample every `sample_every` steps; it must depend only on the run's state. It returns
  /// nothing if interrupted; the sample is then generated when the run resumes.
  void sample_with(std::function<std::optional<std::string>()> sampler) { sampler_ = std::move(sampler); }
  /// Takes one step and everything that is due after it: a log line, a validation, a sample, checkpoints.
  Advance advance();
  /// Writes last.safetensors now, even if the folder was moved. Throws Error on failure, for example if the folder was removed.
  void save();

  TrainingRun<R>& run() { return run_; }
  const RunFolder& folder() const { return folder_; }
  /// Which initial weights were loaded; empty if there were none.
  const std::optional<FittedWeights>& fitted_weights() const { return fitted_weights_; }
  /// The number of damaged lines in the log, which are kept; 0 on ranks that do not write it.
  std::int64_t damaged_lines() const;

 private:
  /// Calls f(); error messages show the folder's usual path.
  template <class F>
  void in_folder(const F& f) const;
  void make_files(bool overwrite, const TrainingData& data, const InitialWeights* weights);
  void open_files();
  void write_changes(const RunConfig& before, bool extended);
  void write_config() const;
  /// Logs the run's environment (made_by(), ranks, parameters), unless it is the same as the last one in the log.
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
  bool sample_pending_ = false;  ///< whether a sample was due at the step from which the run resumes
};

}  // namespace argand
