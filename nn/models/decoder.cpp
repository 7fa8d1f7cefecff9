#include "nn/models/decoder.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"

namespace argand {

template <RealScalar R>
DecoderBlock<R>::DecoderBlock(Init& init, const ModelConfig& config, std::unique_ptr<SelfAttention<R>> attention)
    : norm1_(init, config.norm, config.d_model),
      attn_(std::move(attention)),
      norm2_(init, config.norm, config.d_model),
      ffn_(init, config.ffn, config.d_model, config.d_ff, config.ffn_bias) {}

template <RealScalar R>
Var<R> DecoderBlock<R>::operator()(const Var<R>& h, const AttentionPass<R>& pass) const {
  Var<R> y = h;
  {
    const NameScope scope("attn");
    y = y + pass.pass.drop((*attn_)(norm1_(y), pass));
  }
  const NameScope scope("ffn");
  return y + pass.pass.drop(ffn_(norm2_(y)));
}

template <RealScalar R>
void DecoderBlock<R>::visit(const Visit<R>& f) const {
  f("norm1", norm1_);
  f("attn", *attn_);
  f("norm2", norm2_);
  f("ffn", ffn_);
}

template <RealScalar R>
Decoder<R>::Decoder(const ModelConfig& config, std::uint64_t seed, const MakeAttention& make_attention)
    : Model<R>(config),
      init_(seed),
      // SPEC: N(0, 0.02²) where the embedding is also the output layer, N(0, 0.5²) otherwise.
      embedding_(init_, config.vocab_size, config.d_model, config.tie_embeddings && config.task == "lm" ? 0.02 : 0.5) {
  if (config.position == "learned") position_.emplace(init_, config.max_seq_len, config.d_model, 0.1);
  for (std::int64_t i = 0; i < config.n_layers; ++i)
    blocks_.push_back(std::make_unique<DecoderBlock<R>>(init_, config, make_attention(init_, config)));
  norm_ = std::make_unique<AnyNorm<R>>(init_, config.norm, config.d_model);
  if (config.task == "classify")
    head_.emplace(init_, config.d_model, config.n_classes);
  else if (!config.tie_embeddings)
    head_.emplace(init_, config.d_model, config.vocab_size, false);
}

template <RealScalar R>
struct Decoder<R>::Cache final : KeyValueCache {
  std::int64_t batch = 0;
  std::vector<LayerCache<R>> layers;
};

template <RealScalar R>
std::unique_ptr<KeyValueCache> Decoder<R>::make_cache(std::int64_t batch) const {
  auto cache = std::make_unique<Cache>();
  cache->batch = batch;
  cache->layers.resize(blocks_.size());
  return cache;
}

template <RealScalar R>
Var<R> Decoder<R>::hidden(const Ids& tokens, Pass& pass, Cache* cache, Queries* queries) const {
  const ModelConfig& config = this->config_;
  require(tokens.shape().rank() == 2 && tokens.size() > 0, config.family, "tokens must be [B, T], not empty, got {}",
          tokens.shape());
  const std::int64_t B = tokens.shape()[0], T = tokens.shape()[1], first = cache ? cache->length : 0;
  require(first + T <= config.max_seq_len, config.family, "{} tokens exceed max_seq_len {}", first + T, config.max_seq_len);

  Var<R> h = embedding_(tokens);
  if (position_)
    h = h + slice(position_->weight, 0, first, first + T);
  else if (config.position == "sinusoidal")
    h = h + Var<R>(sinusoids<R>(first, T, config.d_model));
  h = pass.drop(h);

  AttentionPass<R> attention{.pass = pass,
                             .causal = config.task == "lm",
                             .visible_keys = nullptr,
                             .first_position = first,
                             .cache = nullptr,
                             .queries = queries};
  if (config.task == "classify") {
    auto visible = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(B * T));
    for (std::int64_t i = 0; i < B * T; ++i) (*visible)[static_cast<std::size_t>(i)] = tokens[i] != 0;
    attention.visible_keys = std::move(visible);
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const NameScope scope("blocks." + std::to_string(i));
    if (cache != nullptr) attention.cache = &cache->layers[i];
    h = (*blocks_[i])(h, attention);
  }
  return (*norm_)(h);
}

template <RealScalar R>
Var<R> Decoder<R>::pool(const Var<R>& h, const Ids& tokens) const {
  const std::int64_t B = h.dim(0), T = h.dim(1);
  Tensor<R> weights = Tensor<R>::zeros({B, 1, T});
  for (std::int64_t b = 0; b < B; ++b) {
    std::int64_t kept = 0;
    for (std::int64_t t = 0; t < T; ++t) kept += tokens[b * T + t] != 0;
    require(kept > 0, this->config_.family, "text {} of the batch has no tokens but padding", b);
    for (std::int64_t t = 0; t < T; ++t)
      if (tokens[b * T + t] != 0) weights.data()[b * T + t] = 1 / static_cast<R>(kept);
  }
  return reshape(matmul(Var<R>(weights), h), {B, h.dim(2)});
}

template <RealScalar R>
Var<R> Decoder<R>::logits(const Ids& tokens, const ForwardContext& context) {
  Pass pass(context, this->config_.dropout);
  const Var<R> h = hidden(tokens, pass, nullptr, nullptr);
  if (this->config_.task == "classify") return (*head_)(pool(h, tokens));
  return linear(h, output_weight());
}

template <RealScalar R>
Loss<R> Decoder<R>::loss(const Ids& tokens, const Ids& targets, const ForwardContext& context) {
  Pass pass(context, this->config_.dropout);
  Queries queries;
  const Var<R> h = hidden(tokens, pass, nullptr, wants_queries() ? &queries : nullptr);
  Loss<R> loss;
  if (this->config_.task == "classify")
    loss.total = cross_entropy((*head_)(pool(h, tokens)), targets);
  else
    loss.total = linear_cross_entropy<R>(h, output_weight(), nullptr, targets);
  loss.cross_entropy = static_cast<double>(loss.total.value().item());
  if (wants_queries()) {
    const Var<R> auxiliary = auxiliary_loss(tokens, queries);
    loss.auxiliary = static_cast<double>(auxiliary.value().item());
    loss.total = loss.total + auxiliary;
  }
  return loss;
}

template <RealScalar R>
Var<R> Decoder<R>::auxiliary_loss(const Ids&, const Queries&) const {
  return Var<R>(Tensor<R>::zeros({}));
}

template <RealScalar R>
Tensor<R> Decoder<R>::next_logits(const Ids& tokens, KeyValueCache& cache) {
  require(this->config_.task == "lm", this->config_.family, "a classifier does not generate text");
  auto* own = dynamic_cast<Cache*>(&cache);
  require(own != nullptr && own->layers.size() == blocks_.size(), this->config_.family, "the cache belongs to another model");
  require(tokens.shape().rank() == 2 && tokens.shape()[0] == own->batch, this->config_.family,
          "the cache is for a batch of {}, tokens are {}", own->batch, tokens.shape());
  const NoGrad none;
  Pass pass({}, 0);
  const Var<R> h = hidden(tokens, pass, own, nullptr);
  own->length += tokens.shape()[1];
  return linear(reshape(slice(h, 1, h.dim(1) - 1, h.dim(1)), {h.dim(0), h.dim(2)}), output_weight()).value();
}

template <RealScalar R>
void Decoder<R>::visit(const Visit<R>& f) const {
  f("embedding", embedding_);
  f("position", position_);
  for (std::size_t i = 0; i < blocks_.size(); ++i) f("blocks." + std::to_string(i), *blocks_[i]);
  f("norm", *norm_);
  f("head", head_);
}

#define ARGAND_DECODER(R)         \
  template class DecoderBlock<R>; \
  template class Decoder<R>;
ARGAND_FOR_REAL(ARGAND_DECODER)

}  // namespace argand
