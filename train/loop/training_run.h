#pragma once
/// A model in training: the mathematics of a step, and nothing about files, clocks or screens.

#include <memory>

#include "autograd/trace/nan_trace.h"
#include "optim/schedule.h"
#include "train/checkpoints/initial_weights.h"
#include "train/data/retriever.h"
#include "train/data/task.h"
#include "train/evaluation/evaluation.h"
#include "train/ranks/gradient_sum.h"

namespace argand {

/// The result of one step.
struct StepReport {
  std::int64_t step = 0;              ///< steps taken, this one included
  double cross_entropy = 0;           ///< nats a token (or an article), before the step
  std::optional<double> auxiliary{};  ///< weighted; where the model has such a loss
  double lr = 0;
  double grad_norm = 0;            ///< before clipping
  std::int64_t tokens = 0;         ///< that were trained on, without padding
  std::int64_t flops = 0;          ///< of the products of matrices, forwards and backwards
  std::optional<double> recall{};  ///< of an approximate search in the knowledge base, when it was rebuilt for this step
};

/// A step whose loss or gradient is not finite, or that a trace has ended at the first number that is not.
class NonFiniteStep : public Error {
 public:
  NonFiniteStep(const std::string& message, std::int64_t step, std::optional<NonFinite> where, std::uint64_t number, Batch batch)
      : Error(message), step(step), where(std::move(where)), number(number), batch(std::move(batch)) {}

  std::int64_t step;               ///< counting from 1
  std::optional<NonFinite> where;  ///< where it began; nothing when only a norm over many finite numbers overflowed
  std::uint64_t number;            ///< of the batch, the last of the step when that is not known
  Batch batch;
};

template <RealScalar R>
class TrainingRun {
 public:
  /// Initial parameters are a function of the configuration, which takes from the data what fitted() says. Throws ConfigError when
  /// they do not fit, Error when there are too little data for a batch. Of several ranks each has a run of its own, and all call
  /// step() and validate() together: they share the batches, and every one ends with the same numbers.
  TrainingRun(const RunConfig& config, const TrainingData& data, Ranks& ranks = single_process());

  const RunConfig& config() const { return config_; }
  const RunState& state() const { return state_; }
  bool finished() const { return has_ended(config_, state_); }

  /// Step number state().step: a pure function of the state before and the configuration. Throws NonFiniteStep, with parameters
  /// and optimiser as they were, when the loss or a gradient is not finite; the message names the op where that began. (Of several
  /// ranks the first one finds that out and throws; the others wait for the end.)
  StepReport step() { return step(schedule_.at(state_.step)); }
  /// The same at this learning rate.
  StepReport step(double lr);
  /// From now on a step ends at the first number that is not finite, in any op, even when the loss would be finite. One rank alone
  /// can do that.
  void trace_nan(bool on) { trace_nan_ = on; }

  /// Whether something is due now that comes every `every` steps; 0: never, -1 after every epoch.
  bool due(std::int64_t every) const;

  /// Of data that are not trained on.
  Evaluation evaluate(const EvaluationSet& set) const;
  /// Over the task's validation part, or `eval_batches` of it; remembers the best one's objective(). `is_best`: this is it. Of two
  /// that are equal the one with the lower loss is better.
  Evaluation validate(bool& is_best);
  /// Called while it evaluates; null for none.
  void watch_evaluation(EvaluationWatch watch) { watch_ = std::move(watch); }
  /// Batches of a validation.
  std::int64_t validation_batches() const { return some_batches(task_.validation, config_.training.eval_batches).size; }
  /// Calls f with what a pass over a text that is not trained on depends on: reflection windows read the passages of the last step,
  /// by an index of the parameters now.
  void look_up(const std::function<void(const ForwardContext&)>& f) const;

  /// Takes what fits of these weights; to be called before the first step. Throws as InitialWeights::load.
  FittedWeights begin_with(const InitialWeights& weights, const TrainingData& data);

  /// For resuming / for use.
  void save(const std::string& path) const;
  void save_model(const std::string& path) const { save_checkpoint<R>(path, config_, state_, parameters_, nullptr); }
  /// Goes on from there, bit for bit as if never stopped. The checkpoint must be of this configuration.
  void restore(const Checkpoint& checkpoint);
  /// From now on the run has the settings of `longer`, which is extended() from its configuration. Throws ConfigError when its
  /// steps are fewer, or when the learning rate has come to 0.
  void extend(const RunConfig& longer);

  Model<R>& model() { return *model_; }
  const ParameterList<R>& parameters() const { return parameters_; }

 private:
  /// What a training pass depends on besides parameters and tokens; `number`: of the batch.
  ForwardContext context(std::uint64_t number, const Batch& batch) const;
  /// Forward and backward passes of a step's batches, which the ranks share; the gradients' sum is then in the parameters. With
  /// `trace` this rank takes all, and the first number that is not finite is thrown as NonFiniteStep.
  void gather_gradients(StepReport& report, bool trace);
  /// How many targets a batch has; with class weights what these weigh together.
  double weight_of(const Batch& batch) const;
  [[noreturn]] void give_up(const std::string& what, const StepReport& report);

  Task task_;
  RunConfig config_;
  std::unique_ptr<Retriever> retriever_;  ///< null for models without reflection windows, as the store
  RunState state_;
  std::unique_ptr<Model<R>> model_;
  ParameterList<R> parameters_;
  std::unique_ptr<Optimizer<R>> optimizer_;
  Ranks& ranks_;
  std::unique_ptr<GradientSum<R>> sum_;
  std::unique_ptr<PassageStore> store_;
  std::vector<double> class_weights_;  ///< empty: all alike
  Schedule schedule_;
  EvaluationWatch watch_;
  bool trace_nan_ = false;
};

}  // namespace argand
