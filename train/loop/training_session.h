#pragma once
/// A training run that lives in a folder: steps, log lines, validations and checkpoints at the steps where they are due. Of several
/// ranks the first one has it.

#include <functional>
#include <memory>
#include <optional>

#include "train/checkpoints/run_folder.h"
#include "train/loop/training_run.h"

namespace argand {

class JsonLines;

/// What advance() did.
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
  /// `weights` to begin with instead of drawn ones: then step 0 is kept, for nobody could make it anew without them.
  TrainingSession(const RunFolder& folder, bool overwrite, const RunConfig& config, const TrainingData& data,
                  const InitialWeights* weights = nullptr, Ranks& ranks = single_process());
  /// Goes on from a checkpoint of the folder that was opened after it was locked, bit for bit as if never stopped. Throws Error
  /// when the data are others now. `longer`: the configuration of TrainingRun::extend, which the folder then has; null for that of
  /// the checkpoint. A learning rate that is another now is said in the log.
  TrainingSession(const RunFolder& folder, RunLock lock, const Checkpoint& last, const TrainingData& data,
                  const RunConfig* longer = nullptr, Ranks& ranks = single_process());

  ~TrainingSession();

  bool finished() const { return run_.finished(); }
  /// Who writes samples; it is asked after every `sample_every` steps, and must be a function of the run's state alone. Nothing
  /// where it was interrupted: then the sample is written when the run goes on.
  void sample_with(std::function<std::optional<std::string>()> sampler) { sampler_ = std::move(sampler); }
  /// One step, and what is due after it: a line of the log, a validation, a sample, checkpoints.
  Advance advance();
  /// Writes last.safetensors now. Throws Error where it cannot, also when the folder was removed; when it was moved, it is written
  /// where the folder is now.
  void save();

  TrainingRun<R>& run() { return run_; }
  const RunFolder& folder() const { return folder_; }
  /// What became of the weights to begin with; nothing without any.
  const std::optional<FittedWeights>& fitted_weights() const { return fitted_weights_; }
  /// Lines of the log that are damaged; they stay as they are.
  std::int64_t damaged_lines() const;

 private:
  /// f(), whose errors name the folder as the user does.
  template <class F>
  void in_folder(const F& f) const;
  void write_config() const;
  /// A line of by what the run is made, where the log's last one says something else.
  void log_maker(const Ranks& ranks);
  /// Asks for a sample and logs it.
  std::optional<std::string> sample();
  /// Removes kept checkpoints that are neither among the newest nor milestones.
  void prune() const;
  void log_step(const Advance& advance);
  void log_validation(const Advance& advance);

  RunFolder folder_;
  TrainingRun<R> run_;
  RunLock lock_;
  std::unique_ptr<JsonLines> log_;
  std::optional<FittedWeights> fitted_weights_;
  std::function<std::optional<std::string>()> sampler_;
  bool owes_sample_ = false;  ///< one was due at the step where the run goes on
};

}  // namespace argand
