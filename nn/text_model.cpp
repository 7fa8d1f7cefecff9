#include "nn/text_model.h"

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/cross_entropy.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/softmax.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "nn/family.h"

namespace argand {

template <RealScalar R>
struct TextModel<R>::Cache final : KeyValueCache {
  const TextModel* model = nullptr;
  std::int64_t batch = 0;
  LayerCaches layers;
};

template <RealScalar R>
std::unique_ptr<KeyValueCache> TextModel<R>::make_cache(std::int64_t batch) const {
  auto cache = std::make_unique<Cache>();
  cache->model = this;
  cache->batch = batch;
  cache->layers.resize(static_cast<std::size_t>(this->config_.n_layers));
  return cache;
}

template <RealScalar R>
Var<R> TextModel<R>::features(const Ids& tokens, const ForwardContext& context, Cache* cache, Queries* queries) const {
  const ModelConfig& config = this->config_;
  require(tokens.shape().rank() == 2 && tokens.size() > 0, config.family().name, "tokens must be non-empty [B, T], got {}",
          tokens.shape());
  const std::int64_t B = tokens.shape()[0], T = tokens.shape()[1], first = cache ? cache->length : 0;
  require(first + T <= config.max_seq_len, config.family().name, "{} tokens exceed max_seq_len {}", first + T, config.max_seq_len);
  ForwardPass pass(context, config.dropout);
  AttentionPass<R> attention{.forward = pass,
                             .causal = config.task == TextTask::Lm,
                             .visible_keys = nullptr,
                             .first_position = first,
                             .cache = nullptr,
                             .queries = queries};
  if (config.task == TextTask::Classify) {
    auto visible = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(B * T));
    for (std::int64_t i = 0; i < B * T; ++i) (*visible)[static_cast<std::size_t>(i)] = tokens[i] != pad_id;
    attention.visible_keys = std::move(visible);
  }
  return hidden(tokens, attention, cache ? &cache->layers : nullptr);
}

template <RealScalar R>
Var<R> TextModel<R>::pool(const Var<R>& h, const Ids& tokens) const {
  const std::int64_t B = h.dim(0), T = h.dim(1);
  Tensor<R> weights = Tensor<R>::zeros({B, 1, T});
  for (std::int64_t b = 0; b < B; ++b) {
    std::int64_t kept = 0;
    for (std::int64_t t = 0; t < T; ++t) kept += tokens[b * T + t] != pad_id;
    require(kept > 0, this->config_.family().name, "text {} of the batch consists of padding only", b);
    for (std::int64_t t = 0; t < T; ++t)
      if (tokens[b * T + t] != pad_id) weights.data()[b * T + t] = 1 / static_cast<R>(kept);
  }
  return reshape(matmul(Var<R>(weights), h), {B, h.dim(2)});
}

namespace {

template <RealScalar R>
Var<R> apply(const OutputLayer<R>& layer, const Var<R>& h) {
  return layer.bias ? linear(h, layer.weight, *layer.bias) : linear(h, layer.weight);
}

/// -Σ_n w[y_n] log softmax(x_n)[y_n] / Σ_n w[y_n], with x [B, n_classes] and targets y [B].
template <RealScalar R>
Var<R> weighted_cross_entropy(const Var<R>& x, const Ids& targets, const std::vector<double>& weights) {
  double total = 0;
  for (const auto y : targets.span()) total += weights.at(static_cast<std::size_t>(y));
  Tensor<R> shares = Tensor<R>::zeros(x.shape());
  for (std::int64_t n = 0; n < targets.size(); ++n)
    shares.data()[n * x.dim(1) + targets[n]] = static_cast<R>(-weights[static_cast<std::size_t>(targets[n])] / total);
  return sum(constant(shares) * log_softmax(x));
}

/// The part of h [B, T, D] at the last n positions if targets are [B, n]; otherwise all of h.
template <RealScalar R>
Var<R> last_positions(const Var<R>& h, const Ids& targets) {
  const std::int64_t T = h.dim(1), n = targets.shape().rank() == 2 && targets.shape()[0] == h.dim(0) ? targets.shape()[1] : T;
  return n < T ? slice(h, 1, T - n, T) : h;
}

}  // namespace

template <RealScalar R>
Var<R> TextModel<R>::logits(const Ids& tokens, const ForwardContext& context) {
  const Var<R> h = features(tokens, context, nullptr, nullptr);
  return apply(output(), this->config_.task == TextTask::Classify ? pool(h, tokens) : h);
}

template <RealScalar R>
Loss<R> TextModel<R>::loss(const Ids& tokens, const Ids& targets, const ForwardContext& context) {
  Queries queries;
  const Var<R> h = features(tokens, context, nullptr, wants_queries() ? &queries : nullptr);
  const OutputLayer<R> layer = output();
  Loss<R> loss;
  if (this->config_.task == TextTask::Classify)
    loss.total = context.class_weights == nullptr
                     ? cross_entropy(apply(layer, pool(h, tokens)), targets)
                     : weighted_cross_entropy(apply(layer, pool(h, tokens)), targets, *context.class_weights);
  else
    loss.total = linear_cross_entropy<R>(last_positions(h, targets), layer.weight, layer.bias, targets);
  loss.cross_entropy = static_cast<double>(loss.total.value().item());
  if (wants_queries()) {
    const Var<R> auxiliary = auxiliary_loss(tokens, queries);
    loss.auxiliary = static_cast<double>(auxiliary.value().item());
    loss.total = loss.total + auxiliary;
  }
  return loss;
}

template <RealScalar R>
Var<R> TextModel<R>::auxiliary_loss(const Ids&, const Queries&) const {
  return Var<R>(Tensor<R>::zeros({}));
}

template <RealScalar R>
Tensor<R> TextModel<R>::next_logits(const Ids& tokens, KeyValueCache& cache, const ForwardContext& context) {
  require(this->config_.task == TextTask::Lm, this->config_.family().name, "a classifier does not generate text");
  auto* own = dynamic_cast<Cache*>(&cache);
  require(own != nullptr && own->model == this, this->config_.family().name, "the cache belongs to another model");
  require(tokens.shape().rank() == 2 && tokens.shape()[0] == own->batch, this->config_.family().name,
          "the cache is for a batch of {}, but tokens have shape {}", own->batch, tokens.shape());
  const NoGrad none;
  const Var<R> h = features(tokens, context, own, nullptr);
  own->length += tokens.shape()[1];
  return apply(output(), reshape(slice(h, 1, h.dim(1) - 1, h.dim(1)), {h.dim(0), h.dim(2)})).value();
}

#define ARGAND_TEXT_MODEL(R) template class TextModel<R>;
ARGAND_FOR_REAL(ARGAND_TEXT_MODEL)

}  // namespace argand
