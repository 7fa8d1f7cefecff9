#include "train/loop/training_run.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/elementwise/arithmetic.h"
#include "core/gemm.h"
#include "core/kernels/bf16_gemm.h"
#include "core/machine/blas.h"
#include "core/parallel.h"
#include "data/files/checksum.h"
#include "optim/clip.h"
#include "train/config/config_error.h"
#include "train/data/class_weights.h"

namespace argand {
namespace {

/// `retriever` may be null.
Fingerprints fingerprints(const TrainingData& data, const Retriever* retriever) {
  Fingerprints found{.vocabulary = {}, .pieces = {}, .classes = {}, .data = fingerprint_of(data), .init = {}};
  const std::string tokens = token_file(tokens_of(data).kind());
  if (!tokens.empty()) (tokens == "vocab.txt" ? found.vocabulary : found.pieces) = checksum_of(tokens_of(data).file());
  if (const auto classes = classes_of(data); !classes.empty()) found.classes = checksum_of(classes_text(classes));
  if (retriever != nullptr && !retriever->of_training_text()) {  // passages from a file also affect training
    const auto text = retriever->text().span();
    found.data = Checksum().add(found.data).add({reinterpret_cast<const char*>(text.data()), text.size_bytes()}).hex();
  }
  return found;
}

/// The statistics of a batch that ranks exchange, as doubles for all_reduce().
struct BatchLoss {
  double total = 0, cross_entropy = 0, auxiliary = 0, has_auxiliary = 0, flops = 0;
};

}  // namespace

template <RealScalar R>
TrainingRun<R>::TrainingRun(const RunConfig& config, const TrainingData& data, Ranks& ranks)
    : task_(make_task(config, data)),
      config_(completed_config(config, data, task_)),
      retriever_(Retriever::of(config_, data)),
      ranks_(ranks),
      schedule_(config_.schedule()) {
  if (config_.training.precision == "bf16" && !has_bf16_products())
    config_fail("precision", "bf16 requires a processor with AVX512-BF16");
  if (config_.training.accumulate % ranks.size() != 0)
    config_fail("accumulate", "{} ranks cannot share the {} batch{} of a step evenly; use a multiple of {}", ranks.size(),
                config_.training.accumulate, config_.training.accumulate == 1 ? "" : "es", ranks.size());
  reserve_blas(num_threads());
  model_ = make_model<R>(config_.model, static_cast<std::uint64_t>(config_.training.seed));
  parameters_ = model_->parameters();
  optimizer_ = make_optimizer<R>(config_.optimizer, parameters_);
  sum_ = std::make_unique<GradientSum<R>>(parameters_, ranks);
  state_.made_from = fingerprints(data, retriever_.get());
  if (const auto* articles = std::get_if<LabelledCorpus>(&data)) {
    state_.validated_on = validated_part(data);
    class_weights_ = class_weights(config_.training.class_weights, articles->classes, articles->train);
  }
}

template <RealScalar R>
ForwardContext TrainingRun<R>::context(std::uint64_t number, const Batch& batch) const {
  ForwardContext pass{.training = true, .seed = static_cast<std::uint64_t>(config_.training.seed), .step = number};
  if (!class_weights_.empty()) pass.class_weights = &class_weights_;
  if (retriever_) pass.knowledge = &store_->knowledge(), pass.excluded = retriever_->excluded(*store_, batch);
  return pass;
}

template <RealScalar R>
StepReport TrainingRun<R>::step(double lr) {
  const TrainingConfig& t = config_.training;
  StepReport report{.step = state_.step + 1, .lr = lr};
  const bool refreshed = retriever_ && (!store_ || retriever_->due(state_.step));
  if (refreshed) store_ = retriever_->store(state_.step, *model_);
  gather_gradients(report, trace_nan_);
  const double share = 1.0 / static_cast<double>(t.accumulate);
  report.grad_norm = share * grad_norm(parameters_);
  if (!std::isfinite(report.grad_norm))
    give_up(fmt::format("the loss is {} but its gradient became {}", report.cross_entropy, std::abs(report.grad_norm)), report);
  optimizer_->step(report.lr, share * clip_factor(report.grad_norm, t.clip));
  ++state_.step;
  if (refreshed) report.recall = store_->recall();
  return report;
}

template <RealScalar R>
double TrainingRun<R>::weight_of(const Batch& batch) const {
  if (class_weights_.empty()) return static_cast<double>(batch.targets.size());
  double sum = 0;
  for (const auto label : batch.targets.span()) sum += class_weights_[static_cast<std::size_t>(label)];
  return sum;
}

template <RealScalar R>
void TrainingRun<R>::gather_gradients(StepReport& report, bool trace) {
  const TrainingConfig& t = config_.training;
  const Bf16Products rounding(t.precision == "bf16");
  Ranks& ranks = trace ? single_process() : ranks_;
  const auto first = static_cast<std::uint64_t>(state_.step * t.accumulate);
  std::vector<Batch> batches;
  double all = 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(t.accumulate); ++i) {
    batches.push_back(task_.batch(first + i));
    all += weight_of(batches.back());
  }
  // Losses are means over the targets of a batch. Weighted by the number of targets, they average to the loss of one large batch;
  // batches of equal size have a weight of exactly 1.
  const auto factor_of = [&](const Batch& batch) {
    return t.accumulate_by == "batches" ? 1.0 : weight_of(batch) * static_cast<double>(t.accumulate) / all;
  };
  std::vector<BatchLoss> losses(batches.size());  // zeros for batches computed by other ranks
  std::optional<NanTrace> watching;
  if (trace) watching.emplace(parameters_);
  std::optional<GradientSum<R>> by_this_rank;
  GradientSum<R>& sum = trace ? by_this_rank.emplace(parameters_, ranks) : *sum_;
  sum.begin(t.accumulate / ranks.size());
  for (auto i = static_cast<std::size_t>(ranks.rank()); i < batches.size(); i += static_cast<std::size_t>(ranks.size())) {
    const std::uint64_t number = first + i;
    const double weight = factor_of(batches[i]);
    const std::int64_t flops_before = flops_of_products();
    try {
      const Loss<R> loss = model_->loss(batches[i].tokens, batches[i].targets, context(number, batches[i]));
      losses[i] = {static_cast<double>(loss.total.value().item()), loss.cross_entropy, loss.auxiliary.value_or(0),
                   loss.auxiliary ? 1.0 : 0.0, 0};
      if (!trace && ranks.size() == 1 && !std::isfinite(losses[i].total)) {
        Tape::current().clear();
        give_up(fmt::format("the loss became {}", losses[i].total), report);
      }
      sum.backward(weight == 1 ? loss.total : scale(loss.total, static_cast<R>(weight)));
      losses[i].flops = static_cast<double>(flops_of_products() - flops_before);
    } catch (const NonFiniteError& error) {
      throw NonFiniteStep(fmt::format("train: at step {} {}", report.step, error.what()), report.step, error.where(), number,
                          batches[i]);
    }
  }
  all_reduce(ranks, {&losses.front().total, 5 * losses.size()});
  for (const BatchLoss& loss : losses)
    if (!trace && !std::isfinite(loss.total)) give_up(fmt::format("the loss became {}", loss.total), report);
  sum.finish();
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = factor_of(batches[i]) / static_cast<double>(t.accumulate);
    report.cross_entropy += share * losses[i].cross_entropy;
    if (losses[i].has_auxiliary != 0) report.auxiliary = report.auxiliary.value_or(0) + share * losses[i].auxiliary;
    report.tokens += batches[i].n_tokens;
    report.flops += static_cast<std::int64_t>(losses[i].flops);
  }
}

template <RealScalar R>
void TrainingRun<R>::give_up(const std::string& what, const StepReport& report) {
  const std::string message = fmt::format("train: {} at step {}", what, report.step);
  const char* advice = "; a lower `lr` or `clip`, or `precision` float64, may help";
  if (!ranks_.is_root()) wait_for_abort();
  try {
    StepReport again = report;
    gather_gradients(again, true);  // repeats the computation, checking every value
  } catch (const NonFiniteStep& found) {
    const NonFinite& where = *found.where;
    const std::string place = fmt::format(", first in {}{}{}", where.backward ? "the backward pass of " : "", where.op->name(),
                                          where.scope.empty() ? "" : " of " + where.scope);
    throw NonFiniteStep(message + place + advice, found.step, where, found.number, found.batch);
  }
  const auto last = static_cast<std::uint64_t>(report.step * config_.training.accumulate - 1);
  throw NonFiniteStep(message + advice, report.step, std::nullopt, last, task_.batch(last));
}

template <RealScalar R>
bool TrainingRun<R>::due(std::int64_t every) const {
  if (every < 0) every = steps_per_epoch(config_, task_);
  return every > 0 && state_.step % every == 0;
}

template <RealScalar R>
void TrainingRun<R>::look_up(const std::function<void(const ForwardContext&)>& f) const {
  const auto store = retriever_ ? retriever_->store(std::max<std::int64_t>(0, state_.step - 1), *model_) : nullptr;
  f({.knowledge = store ? &store->knowledge() : nullptr});
}

template <RealScalar R>
Evaluation TrainingRun<R>::evaluate(const EvaluationSet& set) const {
  Evaluation evaluation;
  look_up([&](const ForwardContext& context) {
    evaluation = argand::evaluate<R>(
        *model_, set, [&](const Batch&) { return context; }, watch_, ranks_);
  });
  return evaluation;
}

template <RealScalar R>
Evaluation TrainingRun<R>::validate(bool& is_best) {
  Evaluation evaluation = evaluate(some_batches(task_.validation, config_.training.eval_batches));
  const double found = evaluation.objective(config_.training.best_by);
  is_best = found < state_.best_valid || (found == state_.best_valid && evaluation.loss < state_.best_loss);
  state_.since_best = is_best ? 0 : state_.since_best + 1;
  state_.in_bits = evaluation.in_bits();
  if (is_best) {
    state_.best_valid = found;
    state_.best_loss = evaluation.loss;
    if (evaluation.confusion) state_.best_accuracy = evaluation.confusion->accuracy().value_or(0);
    state_.best_step = state_.step;
  }
  return evaluation;
}

template <RealScalar R>
FittedWeights TrainingRun<R>::load_initial_weights(const InitialWeights& weights, const TrainingData& data) {
  require(state_.step == 0, "init", "the run has already taken {} steps", state_.step);
  FittedWeights fitted = weights.load<R>(*model_, tokens_of(data), classes_of(data));
  state_.made_from.init = weights.checksum();
  return fitted;
}

template <RealScalar R>
void TrainingRun<R>::save(const std::string& path) const {
  // An index depends on the parameters at the time it was built, so a resumed run needs the encodings until the next index is due.
  std::vector<Tensor<float>> encodings;
  for (std::size_t i = 0; store_ && i < store_->indexes(); ++i) encodings.push_back(store_->encodings(i));
  save_checkpoint<R>(path, config_, state_, parameters_, optimizer_.get(), encodings);
}

template <RealScalar R>
void TrainingRun<R>::restore(const Checkpoint& checkpoint) {
  require(checkpoint.config().to_json() == config_.to_json(), "train", "{} was saved with a different configuration",
          checkpoint.file().path());
  const auto same = [](const std::string& then, const std::string& now) { return then.empty() || then == now; };
  const Fingerprints then = checkpoint.state().made_from, now = state_.made_from;
  require(same(then.vocabulary, now.vocabulary) && same(then.pieces, now.pieces) && same(then.classes, now.classes) &&
              same(then.data, now.data),
          "train",
          "the data do not match the training data of {}: the checksums differ. Restore the old data, point `data` at them, or "
          "start a run on the new data with `init` {}",
          checkpoint.file().path(), checkpoint.file().path());
  checkpoint.load(parameters_);
  checkpoint.load(*optimizer_);
  const std::string validated_on = state_.validated_on;
  state_ = checkpoint.state();
  state_.validated_on = validated_on;
  state_.made_from = now;
  state_.made_from.init = then.init;
  if (!retriever_ || retriever_->due(state_.step)) return;
  std::vector<Tensor<float>> encodings = checkpoint.encodings();
  require(encodings.size() == (retriever_->approximate() ? config_.model.windows().layers.size() : 0), "checkpoint",
          "{}: the encodings of its approximate index are missing", checkpoint.file().path());
  store_ = retriever_->store(state_.step, std::move(encodings));
}

template <RealScalar R>
void TrainingRun<R>::extend(const RunConfig& longer) {
  RunConfig config = longer;
  if (config.training.epochs > 0) config.training.steps = steps_of_epochs(config, task_);
  const std::int64_t steps = config_.training.steps, wanted = config.training.steps;
  if (wanted < steps) config_fail("resume", "the run has {} steps; it cannot be shortened to {}", steps, wanted);
  const WarmupCosine schedule = config.schedule();
  schedule.validate();
  if (wanted > steps && schedule.final == 0 && schedule.total <= steps)
    config_fail(
        "resume",
        "the learning rate of this run ends at 0, so further steps change nothing; start a new run from its weights with `init`");
  config_ = config;
  schedule_ = schedule;
}

template class TrainingRun<float>;
template class TrainingRun<double>;

}  // namespace argand
