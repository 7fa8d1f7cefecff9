#pragma once
/// A language model in training: the mathematics of a step, and nothing about files, clocks or screens.

#include <memory>

#include "apps/checkpoint.h"
#include "data/batches.h"
#include "data/corpus.h"
#include "optim/schedule.h"

namespace argand {

/// What one step did.
struct StepReport {
  std::int64_t step = 0;     ///< steps taken, this one included
  double cross_entropy = 0;  ///< nats a token, before the step
  double auxiliary = 0;      ///< weighted
  double lr = 0;
  double grad_norm = 0;     ///< before clipping
  std::int64_t tokens = 0;  ///< that were trained on
};

template <RealScalar R>
class TrainingRun {
 public:
  /// Initial parameters are a function of the configuration. A vocab_size of 0 becomes the corpus's. Throws UsageError when the
  /// vocabulary does not fit, Error when the corpus is too short for the windows.
  TrainingRun(RunConfig config, const Corpus& corpus);

  const RunConfig& config() const { return config_; }
  const RunState& state() const { return state_; }
  bool finished() const { return state_.step >= config_.training.steps; }

  /// Step number state().step: a pure function of the state before and the configuration. Throws Error, with parameters and
  /// optimiser as they were, when the loss or a gradient is not finite; the message names the op where that began.
  StepReport step();

  /// Mean cross entropy in nats a token over `tokens` in blocks of batch x length (EvaluationBatches).
  double evaluate(const Ids& tokens);
  /// Over the validation part; remembers the best. True when this is the best so far.
  bool validate(double& loss);

  /// For going on / for use.
  void save(const std::string& path) const { save_checkpoint<R>(path, config_, state_, parameters_, optimizer_.get()); }
  void save_model(const std::string& path) const { save_checkpoint<R>(path, config_, state_, parameters_, nullptr); }
  /// Goes on from there, bit for bit as if never stopped. The checkpoint must be of this configuration.
  void restore(const Checkpoint& checkpoint);

  Model<R>& model() { return *model_; }
  const ParameterList<R>& parameters() const { return parameters_; }

 private:
  std::string first_non_finite(const LmBatch& batch, const ForwardContext& context);

  RunConfig config_;
  RunState state_;
  std::unique_ptr<Model<R>> model_;
  ParameterList<R> parameters_;
  std::unique_ptr<Optimizer<R>> optimizer_;
  LmBatches batches_;
  Ids valid_;
  Schedule schedule_;
};

/// Mean cross entropy in nats a token over `tokens` in blocks of B x T (EvaluationBatches).
template <RealScalar R>
double evaluate(Model<R>& model, const Ids& tokens, std::int64_t B, std::int64_t T);

}  // namespace argand
