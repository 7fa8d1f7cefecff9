#include "train/evaluation/evaluation.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/rows/cross_entropy.h"
#include "autograd/tape.h"
#include "core/error.h"

namespace argand {
namespace {

std::optional<double> share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(std::optional<double> share) { return share ? fmt::format("{:.1f} %", 100 * *share) : "-"; }

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::int64_t n_classes) : n_(n_classes) {
  require(n_classes >= 1, "confusion", "requires at least one class, got {}", n_classes);
  counts_.resize(static_cast<std::size_t>(n_ * n_));
}

void ConfusionMatrix::add(std::int64_t label, std::int64_t predicted, std::int64_t times) {
  require(label >= 0 && label < n_ && predicted >= 0 && predicted < n_, "confusion",
          "label {} or prediction {} is out of range for {} classes", label, predicted, n_);
  counts_[static_cast<std::size_t>(label * n_ + predicted)] += times;
}

std::int64_t ConfusionMatrix::count(std::int64_t label, std::int64_t predicted) const {
  return counts_.at(static_cast<std::size_t>(label * n_ + predicted));
}

std::int64_t ConfusionMatrix::of_class(std::int64_t label) const {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < n_; ++i) sum += count(label, i);
  return sum;
}

std::int64_t ConfusionMatrix::labelled_as(std::int64_t predicted) const {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < n_; ++i) sum += count(i, predicted);
  return sum;
}

std::int64_t ConfusionMatrix::total() const {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < n_; ++i) sum += of_class(i);
  return sum;
}

std::int64_t ConfusionMatrix::correct() const {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < n_; ++i) sum += count(i, i);
  return sum;
}

std::optional<double> ConfusionMatrix::accuracy() const { return share(correct(), total()); }
std::optional<double> ConfusionMatrix::recall(std::int64_t label) const { return share(count(label, label), of_class(label)); }
std::optional<double> ConfusionMatrix::precision(std::int64_t label) const {
  return share(count(label, label), labelled_as(label));
}

std::optional<double> ConfusionMatrix::f1(std::int64_t label) const {
  return share(2 * count(label, label), of_class(label) + labelled_as(label));
}

ConfusionMatrix::Macro ConfusionMatrix::macro() const {
  Macro mean;
  double classes = 0;
  for (std::int64_t i = 0; i < n_; ++i) {
    if (of_class(i) == 0) continue;
    ++classes;
    mean.recall += *recall(i);
    mean.precision += precision(i).value_or(0);
    mean.f1 += *f1(i);
  }
  if (classes > 0)
    for (double* m : {&mean.recall, &mean.precision, &mean.f1}) *m /= classes;
  return mean;
}

std::vector<std::string> ConfusionMatrix::table(const std::vector<std::string>& classes) const {
  require(static_cast<std::int64_t>(classes.size()) == n_, "confusion", "got {} names for {} classes", classes.size(), n_);
  std::size_t widest = 5;
  for (const std::string& name : classes) widest = std::max(widest, name.size());
  const std::size_t column = std::max<std::size_t>(widest, 6) + 2;
  std::string head = fmt::format("{:<{}}  accuracy  precision      F1  articles  labelled as", "class", widest);
  for (const std::string& name : classes) head += fmt::format("{:>{}}", name, column);
  std::vector<std::string> lines = {head};
  for (std::int64_t i = 0; i < n_; ++i) {
    std::string line = fmt::format("{:<{}}  {:>8}  {:>9}  {:>6}  {:>8}             ", classes[static_cast<std::size_t>(i)], widest,
                                   percent(recall(i)), percent(precision(i)), percent(f1(i)), of_class(i));
    for (std::int64_t j = 0; j < n_; ++j) line += fmt::format("{:>{}}", count(i, j), column);
    lines.push_back(line);
  }
  const Macro mean = macro();
  lines.push_back(fmt::format("{:<{}}  {:>8}  {:>9}  {:>6}  {:>8}", "mean", widest, percent(mean.recall), percent(mean.precision),
                              percent(mean.f1), total()));
  return lines;
}

double Evaluation::objective(std::string_view by) const {
  if (!confusion || by == "loss") return loss;
  return 1 - (by == "f1" ? confusion->macro().f1 : confusion->accuracy().value_or(0));
}

BitsPerByte Evaluation::in_bits() const {
  const auto tokens = static_cast<double>(count);
  return {static_cast<double>(bytes) / tokens, bits_to_spell(unknown, unknown_bytes) / tokens};
}

std::optional<double> Evaluation::bits_per_byte() const {
  if (bytes == 0) return std::nullopt;
  return in_bits()(loss);
}

std::string summary(const Evaluation& evaluation) {
  if (evaluation.confusion)
    return fmt::format("loss {:.4f}, accuracy {}", evaluation.loss, percent(evaluation.confusion->accuracy()));
  const std::optional<double> bits = evaluation.bits_per_byte();
  const std::optional<double> unknown = evaluation.unknown > 0 ? share(evaluation.unknown, evaluation.count) : std::nullopt;
  return fmt::format("loss {:.4f}, perplexity {:.2f}{}{}", evaluation.loss, std::exp(evaluation.loss),
                     bits ? fmt::format(", {:.3f} bits per byte", *bits) : "",
                     unknown ? fmt::format(", {} of the tokens unknown", *unknown < 5e-4 ? "under 0.1 %" : percent(unknown)) : "");
}

EvaluationSet some_batches(const EvaluationSet& set, std::int64_t most) {
  if (most == 0 || most >= set.size) return set;
  return {most, [set, most](std::int64_t i) { return set.at(i * set.size / most); }};
}

template <RealScalar R>
Evaluation evaluate(Model<R>& model, const EvaluationSet& set, const ContextOf& context_of, const EvaluationWatch& watch,
                    Ranks& ranks) {
  const NoGrad none;
  const bool classifies = model.config().task == TextTask::Classify;
  const std::int64_t n = classifies ? model.config().n_classes : 0, share = ranks.size();
  // For each batch: its loss, the numbers of targets and bytes, how many of each are unknown, and how many articles are labelled
  // correctly; followed by the confusion matrix. Every value comes from a single rank or is a count, so the sums are exact.
  constexpr std::size_t each = 6;
  const auto batches = static_cast<std::size_t>(set.size);
  std::vector<double> found(each * batches + static_cast<std::size_t>(n * n));
  double* const confused = found.data() + each * batches;
  for (std::int64_t i = ranks.rank(); i < set.size; i += share) {
    const Batch batch = set.at(i);
    const ForwardContext context = context_of ? context_of(batch) : ForwardContext();
    double* const of_batch = found.data() + static_cast<std::size_t>(i) * each;
    double loss = 0;
    if (classifies) {
      const Var<R> logits = model.logits(batch.tokens, context);
      loss = static_cast<double>(cross_entropy(logits, batch.targets).value().item());
      const R* row = logits.value().data();
      require(logits.dim(1) == n, "evaluation", "the logits have {} classes, expected {}", logits.dim(1), n);
      for (std::int64_t b = 0; b < batch.targets.size(); ++b, row += n) {
        const std::int64_t predicted = std::max_element(row, row + n) - row;
        ++confused[batch.targets[b] * n + predicted];
        if (predicted == batch.targets[b]) ++of_batch[5];
      }
    } else {
      loss = model.loss(batch.tokens, batch.targets, context).cross_entropy;
    }
    of_batch[0] = loss;
    of_batch[1] = static_cast<double>(batch.targets.size());
    of_batch[2] = static_cast<double>(batch.target_bytes);
    of_batch[3] = static_cast<double>(batch.unknown);
    of_batch[4] = static_cast<double>(batch.unknown_bytes);
    if (watch) watch(i / share + 1, (set.size - ranks.rank() + share - 1) / share);
  }
  all_reduce(ranks, found);
  Evaluation evaluation;
  for (std::size_t i = 0; i < batches; ++i) {
    const double* const of_batch = found.data() + each * i;
    const auto number = [&](std::size_t k) { return static_cast<std::int64_t>(of_batch[k]); };
    evaluation.batches.push_back({of_batch[0], number(1), number(2), number(5)});
    evaluation.loss += of_batch[0] * of_batch[1];
    evaluation.count += number(1);
    evaluation.bytes += number(2);
    evaluation.unknown += number(3);
    evaluation.unknown_bytes += number(4);
  }
  evaluation.loss /= static_cast<double>(evaluation.count);
  if (!classifies) return evaluation;
  evaluation.confusion.emplace(n);
  for (std::int64_t label = 0; label < n; ++label)
    for (std::int64_t predicted = 0; predicted < n; ++predicted)
      evaluation.confusion->add(label, predicted, static_cast<std::int64_t>(confused[label * n + predicted]));
  return evaluation;
}

template Evaluation evaluate(Model<float>&, const EvaluationSet&, const ContextOf&, const EvaluationWatch&, Ranks&);
template Evaluation evaluate(Model<double>&, const EvaluationSet&, const ContextOf&, const EvaluationWatch&, Ranks&);

}  // namespace argand
