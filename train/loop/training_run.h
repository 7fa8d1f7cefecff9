#pragma once
/// A model in training: computes steps, without timing or output. Only save() and save_model() write files.

#include <memory>

#include "autograd/trace/nan_trace.h"
#include "optim/rate.h"
#include "train/checkpoints/initial_weights.h"
#include "train/data/retriever.h"
#include "train/data/task.h"
#include "train/evaluation/evaluation.h"
#include "train/ranks/gradient_sum.h"

namespace argand {

/// The result of one step.
struct StepReport {
  std::int64_t step = 0;              ///< number of steps taken, including this one
  double cross_entropy = 0;           ///< nats per token (or article), before the step
  std::optional<double> auxiliary{};  ///< auxiliary loss with its weight applied; empty for models without one
  double lr = 0;
  double grad_norm = 0;            ///< before clipping
  std::int64_t tokens = 0;         ///< tokens trained on, without padding
  std::int64_t flops = 0;          ///< for the matrix products, forward and backward
  std::optional<double> recall{};  ///< recall of the approximate search, if the knowledge base was rebuilt for this step
};

/// Thrown for a step whose loss or gradient is not finite, or if tracing stopped at the first non-finite value.
class NonFiniteStep : public Error {
 public:
  NonFiniteStep(const std::string& message, std::int64_t step, std::optional<NonFinite> where, std::uint64_t number, Batch batch)
      : Error(message), step(step), where(std::move(where)), number(number), batch(std::move(batch)) {}

  std::int64_t step;               ///< counted from 1
  std::optional<NonFinite> where;  ///< where it originated; empty if only the norm of finite gradients overflowed
  std::uint64_t number;            ///< index of the batch; if unknown, that of the step's last batch
  Batch batch;
};

template <RealScalar R>
class TrainingRun {
 public:
  /// Initial parameters are a function of the configuration, which is completed from the data by completed_config(). Throws
  /// ConfigError if the data do not fit it, and Error if there is not enough data for a batch. With several ranks, each has a
  /// separate TrainingRun and all call step() and validate() together; they share the batches and get identical results.
  TrainingRun(const RunConfig& config, const TrainingData& data, Ranks& ranks = single_process());

  const RunConfig& config() const { return config_; }
  const RunState& state() const { return state_; }
  bool finished() const { return has_ended(config_, state_); }

  /// Takes step number state().step: a pure function of the previous state and the configuration. Throws NonFiniteStep, leaving
  /// parameters and optimiser unchanged, if the loss or a gradient is not finite; the message names the op that produced the first
  /// such value. (With several ranks, only the first throws; the others wait to be terminated.)
  StepReport step() { return step(schedule_(state_.step)); }
  /// Takes a step with the given learning rate.
  StepReport step(double lr);
  /// From now on, stops a step at the first non-finite value in any op, even if the loss would be finite. Only available with a
  /// single rank.
  void trace_nan(bool on) { trace_nan_ = on; }

  /// Whether a task that is done every `every` steps is due now; 0: never, -1: after every epoch.
  bool due(std::int64_t every) const;

  /// Evaluates on data outside the training data.
  Evaluation evaluate(const EvaluationSet& set) const;
  /// Evaluates on the task's validation part, or `eval_batches` of it, and remembers the best objective(). Sets `is_best` if this
  /// is the best so far; ties go to the lower loss.
  Evaluation validate(bool& is_best);
  /// Sets a function to be called during evaluations; may be null.
  void watch_evaluation(EvaluationWatch watch) { watch_ = std::move(watch); }
  /// The number of batches in a validation.
  std::int64_t validation_batches() const { return some_batches(task_.validation, config_.training.eval_batches).size; }
  /// Calls f with the context for passes over text that is not trained on: reflection windows read the passages of the last step,
  /// through an index built with the current parameters.
  void look_up(const std::function<void(const ForwardContext&)>& f) const;

  /// Loads the parameters that `weights` contains. Call this before the first step. Throws the same errors as InitialWeights::load.
  FittedWeights load_initial_weights(const InitialWeights& weights, const TrainingData& data);

  /// save() writes a checkpoint from which training can resume, save_model() one without the optimiser's state.
  void save(const std::string& path) const;
  void save_model(const std::string& path) const { save_checkpoint<R>(path, config_, state_, parameters_, nullptr); }
  /// Continues from the checkpoint, bit for bit as if training had never stopped. The run must have its configuration.
  void restore(const Checkpoint& checkpoint);
  /// Adopts the settings of `longer`, which is extended() from the run's configuration. Throws ConfigError if `longer` has
  /// fewer steps, or if the learning rate has reached 0.
  void extend(const RunConfig& longer);

  Model<R>& model() { return *model_; }
  const ParameterList<R>& parameters() const { return parameters_; }

 private:
  /// What a training pass on batch `number` needs besides parameters and tokens.
  ForwardContext context(std::uint64_t number, const Batch& batch) const;
  /// Runs the forward and backward passes of a step's batches, which the ranks share, and leaves the sum of the gradients in the
  /// parameters. With `trace`, this rank takes all batches, and the first non-finite value is thrown as NonFiniteStep.
  void gather_gradients(StepReport& report, bool trace);
  /// The number of targets in a batch; with class weights, their total weight.
  double weight_of(const Batch& batch) const;
  [[noreturn]] void give_up(const std::string& what, const StepReport& report);

  Task task_;
  RunConfig config_;
  std::unique_ptr<Retriever> retriever_;  ///< null for models without reflection windows, as is the store
  RunState state_;
  std::unique_ptr<Model<R>> model_;
  ParameterList<R> parameters_;
  std::unique_ptr<Optimizer<R>> optimizer_;
  Ranks& ranks_;
  std::unique_ptr<GradientSum<R>> sum_;
  std::unique_ptr<PassageStore> store_;
  std::vector<double> class_weights_;  ///< empty: equal weights
  WarmupCosine schedule_;
  EvaluationWatch watch_;
  bool trace_nan_ = false;
};

}  // namespace argand
