#pragma once
/// A training run in a folder: steps, log lines, validations and checkpoints at the steps where they are due. With several ranks
/// every one has a session, and all call the same functions together; only the first one touches the folder.

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
  bool is_best = false;                  ///< that validation
  std::optional<std::string> sample;     ///< when one was due
};

template <RealScalar R>
class TrainingSession {
 public:
  /// A new run: makes the folder (see RunFolder::create), writes configuration, words, labels and the checkpoint of step 0.
  /// `weights` replace random ones; then step 0 is kept, as it could not be reproduced without them.
  TrainingSession(const RunFolder& folder, bool overwrite, const RunConfig& config, const TrainingData& data,
                  const InitialWeights* weights = nullptr, Ranks& ranks = single_process());
  /// Resumes from a checkpoint of the folder, opened after it was locked, bit for bit as if never stopped. Throws Error when the
  /// data have changed. `longer`: the configuration of TrainingRun::extend, which the folder then has; null for that of the
  /// checkpoint. A learning rate that is another now is said in the log.
  TrainingSession(const RunFolder& folder, RunLock lock, const Checkpoint& last, const TrainingData& data,
                  const RunConfig* longer = nullptr, Ranks& ranks = single_process());

  ~TrainingSession();

  bool finished() const { return run_.finished(); }
  /// Steps until the run has ended, or until some rank has received a signal; returns that signal, 0 at the end. `received`: the
  /// one this rank has received, or 0. `seen` is called after every step, on the first rank alone.
  int advance_all(const std::function<int()>& received, const std::function<void(Advance&&)>& seen);
  /// Generates samples, called after every `sample_every` steps; it must depend on the run's state alone. Returns nothing when it
  /// was interrupted: then the sample is generated when the run resumes.
  void sample_with(std::function<std::optional<std::string>()> sampler) { sampler_ = std::move(sampler); }
  /// One step, and what is due after it: a line of the log, a validation, a sample, checkpoints.
  Advance advance();
  /// Writes last.safetensors now. Throws Error on failure, also when the folder was removed; if the folder was moved, it writes to
  /// the new place.
  void save();

  TrainingRun<R>& run() { return run_; }
  const RunFolder& folder() const { return folder_; }
  /// How the initial weights fitted; nothing without any.
  const std::optional<FittedWeights>& fitted_weights() const { return fitted_weights_; }
  /// Damaged lines of the log, which are kept; 0 on ranks that write none.
  std::int64_t damaged_lines() const;

 private:
  /// Calls f(); errors name the folder as the user does.
  template <class F>
  void in_folder(const F& f) const;
  void make_files(bool overwrite, const TrainingData& data, const InitialWeights* weights);
  void open_files();
  void write_changes(const RunConfig& before, bool extended);
  void write_config() const;
  /// Logs what the run is made by, if the log's last such line differs.
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
  bool owes_sample_ = false;  ///< one was due at the step where the run resumes
};

}  // namespace argand
