#include "apps/training_run.h"

#include <cmath>

#include "apps/command_line.h"
#include "autograd/tape.h"
#include "optim/clip.h"

namespace argand {
namespace {

RunConfig with_vocabulary(RunConfig config, const Corpus& corpus) {
  const std::int64_t words = corpus.vocabulary.size();
  if (config.model.vocab_size == 0) config.model.vocab_size = words;
  if (config.model.vocab_size < words)
    usage_fail("--vocab-size", "{} ids are too few for the corpus's {} words; 0 takes as many as there are",
               config.model.vocab_size, words);
  config.validate();
  return config;
}

}  // namespace

template <RealScalar R>
TrainingRun<R>::TrainingRun(RunConfig config, const Corpus& corpus)
    : config_(with_vocabulary(std::move(config), corpus)),
      batches_(corpus.train, config_.training.batch, config_.training.length, static_cast<std::uint64_t>(config_.training.seed)),
      valid_(corpus.valid),
      schedule_(config_.schedule()) {
  const EvaluationBatches long_enough(valid_, config_.training.batch, config_.training.length);  // said now, not at the end
  model_ = make_model<R>(config_.model, static_cast<std::uint64_t>(config_.training.seed));
  parameters_ = model_->parameters();
  optimizer_ = make_optimizer<R>(config_.optimizer, parameters_);
}

template <RealScalar R>
StepReport TrainingRun<R>::step() {
  const TrainingConfig& t = config_.training;
  StepReport report{.step = state_.step + 1, .lr = schedule_.at(state_.step)};
  const double share = 1.0 / static_cast<double>(t.accumulate);
  zero_grad(parameters_);
  for (std::int64_t i = 0; i < t.accumulate; ++i) {
    const auto number = static_cast<std::uint64_t>(state_.step * t.accumulate + i);
    const ForwardContext context{.training = true, .seed = static_cast<std::uint64_t>(t.seed), .step = number};
    const LmBatch batch = batches_.at(number);
    const Loss<R> loss = model_->loss(batch.tokens, batch.targets, context);
    if (!std::isfinite(static_cast<double>(loss.total.value().item()))) {
      Tape::current().clear();
      fail("train", "the loss became {} at step {}{}; a lower --lr or --clip may help", loss.total.value().item(), report.step,
           first_non_finite(batch, context));
    }
    backward(loss.total);
    report.cross_entropy += share * loss.cross_entropy;
    report.auxiliary += share * loss.auxiliary;
    report.tokens += batch.tokens.size();
  }
  report.grad_norm = share * grad_norm(parameters_);
  require(std::isfinite(report.grad_norm), "train",
          "the loss is {} but its gradient became {} at step {}; a lower --lr or --precision float64 may help",
          report.cross_entropy, report.grad_norm, report.step);
  optimizer_->step(report.lr, share * clip_factor(report.grad_norm, t.clip));
  ++state_.step;
  return report;
}

template <RealScalar R>
std::string TrainingRun<R>::first_non_finite(const LmBatch& batch, const ForwardContext& context) {
  std::string found;
  watch_forward([&](const Op& op, const std::string& scope, bool finite) {
    if (!finite && found.empty()) found = fmt::format(", first in {}{}", op.name(), scope.empty() ? "" : " of " + scope);
  });
  {
    const NoGrad none;
    model_->loss(batch.tokens, batch.targets, context);
  }
  watch_forward({});
  return found;
}

template <RealScalar R>
double evaluate(Model<R>& model, const Ids& tokens, std::int64_t B, std::int64_t T) {
  const NoGrad none;
  const EvaluationBatches blocks(tokens, B, T);
  double total = 0;
  for (std::int64_t i = 0; i < blocks.size(); ++i) {
    const LmBatch block = blocks[i];
    total += model.loss(block.tokens, block.targets).cross_entropy;
  }
  return total / static_cast<double>(blocks.size());
}

template <RealScalar R>
double TrainingRun<R>::evaluate(const Ids& tokens) {
  return argand::evaluate<R>(*model_, tokens, config_.training.batch, config_.training.length);
}

template <RealScalar R>
bool TrainingRun<R>::validate(double& loss) {
  loss = evaluate(valid_);
  if (!(loss < state_.best_valid)) return false;
  state_.best_valid = loss;
  state_.best_step = state_.step;
  return true;
}

template <RealScalar R>
void TrainingRun<R>::restore(const Checkpoint& checkpoint) {
  require(checkpoint.config().to_json() == config_.to_json(), "train", "{} is of another configuration", checkpoint.file().path());
  checkpoint.load(parameters_);
  checkpoint.load(*optimizer_);
  state_ = checkpoint.state();
}

#define ARGAND_TRAINING_RUN(R)   \
  template class TrainingRun<R>; \
  template double evaluate(Model<R>&, const Ids&, std::int64_t, std::int64_t);
ARGAND_FOR_REAL(ARGAND_TRAINING_RUN)

}  // namespace argand
