#include "train/evaluation/position_loss.h"

#include <algorithm>

#include "core/error.h"

namespace argand {
namespace {

/// Tokens per batch, about as many as in a training step.
constexpr std::int64_t tokens_at_a_time = 2048;

/// The targets at positions `first`, ..., `last` of each window, counted from 1: target n is the token that follows the first n.
EvaluationSet targets_of(const Ids& text, std::int64_t length, const PositionLoss& span) {
  const std::int64_t windows = (text.size() - 1) / length, rows = std::max<std::int64_t>(1, tokens_at_a_time / span.last);
  const auto at = [&text, length, span, windows, rows](std::int64_t i) {
    const std::int64_t begin = i * rows, B = std::min(rows, windows - begin), n = span.last - span.first + 1;
    Batch batch{.tokens = Ids(Shape{B, span.last}), .targets = Ids(Shape{B, n}), .places = {}, .n_tokens = B * span.last};
    for (std::int64_t b = 0; b < B; ++b) {
      const std::int32_t* const window = text.data() + (begin + b) * length;
      batch.places.push_back((begin + b) * length);
      std::copy_n(window, span.last, &batch.tokens[b * span.last]);
      std::copy_n(window + span.first, n, &batch.targets[b * n]);
    }
    return batch;
  };
  return {(windows + rows - 1) / rows, at};
}

}  // namespace

std::vector<PositionLoss> spans_of_positions(std::int64_t length) {
  require(length >= 1, "positions", "a window must have at least one token, got {}", length);
  std::vector<PositionLoss> spans;
  for (std::int64_t first = 1, last = 16; first <= length; first = last + 1, last *= 2)
    spans.push_back({.first = first, .last = std::min(last, length), .evaluation = {}});
  return spans;
}

template <RealScalar R>
std::vector<PositionLoss> loss_by_position(Model<R>& model, const Ids& text, std::int64_t length, const ContextOf& context_of,
                                           const std::function<void(double)>& watch) {
  std::vector<PositionLoss> spans = spans_of_positions(length);
  require(text.size() > length, "positions", "the text has {} tokens, fewer than a window of {} plus the one after it", text.size(),
          length);
  double done = 0, all = 0;  // the work for a span includes all tokens before it
  for (const PositionLoss& span : spans) all += static_cast<double>(span.last);
  for (PositionLoss& span : spans) {
    const auto share = [&](std::int64_t batch, std::int64_t batches) {
      if (watch) watch((done + static_cast<double>(span.last * batch) / static_cast<double>(batches)) / all);
    };
    span.evaluation = evaluate<R>(model, targets_of(text, length, span), context_of, share);
    done += static_cast<double>(span.last);
  }
  return spans;
}

bool reads_any_length(const ModelConfig& config) {
  const auto shapes = [&config](std::int64_t longest) {
    ModelConfig other = config;
    other.max_seq_len = longest;
    std::vector<Shape> found;
    for (const auto& parameter : make_model<float>(other, 0)->parameters()) found.push_back(parameter.shape());
    return found;
  };
  return shapes(config.max_seq_len) == shapes(config.max_seq_len + 1);
}

template <RealScalar R>
std::unique_ptr<Model<R>> load_longer_model(const Checkpoint& checkpoint, std::int64_t longest) {
  ModelConfig config = checkpoint.config().model;
  if (longest <= config.max_seq_len) return load_model<R>(checkpoint);
  require(reads_any_length(config), "positions", "{} has learned only {} positions; use `positions` {}", checkpoint.file().path(),
          config.max_seq_len, config.max_seq_len);
  config.max_seq_len = longest;
  auto model = make_model<R>(config, static_cast<std::uint64_t>(checkpoint.config().training.seed));
  checkpoint.load(model->parameters());
  return model;
}

#define ARGAND_POSITION_LOSS(R)                                                                              \
  template std::vector<PositionLoss> loss_by_position(Model<R>&, const Ids&, std::int64_t, const ContextOf&, \
                                                      const std::function<void(double)>&);                   \
  template std::unique_ptr<Model<R>> load_longer_model(const Checkpoint&, std::int64_t);
ARGAND_FOR_REAL(ARGAND_POSITION_LOSS)

}  // namespace argand
