#include "nn/decoder.h"

#include <cmath>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "nn/decoder_config.h"

namespace argand {

template <RealScalar R>
DecoderBlock<R>::DecoderBlock(Init& init, const ModelConfig& config, std::unique_ptr<SelfAttention<R>> attention)
    : norm1_(init, config.own<DecoderConfig>().norm, config.d_model),
      attn_(std::move(attention)),
      norm2_(init, config.own<DecoderConfig>().norm, config.d_model),
      ffn_(init, config.own<DecoderConfig>().ffn, config.d_model, config.d_ff, config.own<DecoderConfig>().ffn_bias) {}

template <RealScalar R>
Var<R> DecoderBlock<R>::operator()(const Var<R>& h, const AttentionPass<R>& pass) const {
  Var<R> y = h;
  {
    const NameScope scope("attn");
    y = y + pass.drop((*attn_)(norm1_(y), pass));
  }
  const NameScope scope("ffn");
  return y + pass.drop(ffn_(norm2_(y)));
}

namespace {

/// Initial std of the embedding if none is given: 0.02 if it is also the output layer, otherwise 0.5. With scale_embeddings it is
/// 1/√d, so that after the multiplication by √d the token embeddings have std 1, comparable to the sinusoids added to them
/// ("Attention is all you need", 2017, section 3.4, does not specify the initialisation).
double embedding_std(const ModelConfig& config) {
  const auto& own = config.own<DecoderConfig>();
  if (own.embedding_std > 0) return own.embedding_std;
  if (own.scale_embeddings) return 1 / std::sqrt(static_cast<double>(config.d_model));
  return own.tie_embeddings && config.task == TextTask::Lm ? 0.02 : 0.5;
}

}  // namespace

template <RealScalar R>
Decoder<R>::Decoder(const ModelConfig& config, std::uint64_t seed, const MakeAttention& make_attention)
    : TextModel<R>(config), init_(seed), embedding_(init_, config.vocab_size, config.d_model, embedding_std(config)) {
  const auto& own = config.own<DecoderConfig>();
  if (own.position == PositionKind::Learned) position_.emplace(init_, config.max_seq_len, config.d_model, 0.1);
  for (std::int64_t i = 0; i < config.n_layers; ++i)
    blocks_.push_back(std::make_unique<DecoderBlock<R>>(init_, config, make_attention(init_)));
  norm_ = std::make_unique<AnyNorm<R>>(init_, own.norm, config.d_model);
  if (config.task == TextTask::Classify)
    head_.emplace(init_, config.d_model, config.n_classes, true, Role::Output);
  else if (!own.tie_embeddings)
    head_.emplace(init_, config.d_model, config.vocab_size, false, Role::Output);
}

template <RealScalar R>
Var<R> Decoder<R>::hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const {
  const ModelConfig& config = this->config_;
  const std::int64_t T = tokens.shape()[1], first = pass.first_position;
  Var<R> h = embedding_(tokens);
  if (config.own<DecoderConfig>().scale_embeddings) h = h * std::sqrt(static_cast<R>(config.d_model));
  if (position_)
    h = h + slice(position_->weight, 0, first, first + T);
  else if (config.own<DecoderConfig>().position == PositionKind::Sinusoidal)
    h = h + Var<R>(sinusoids<R>(first, T, config.d_model));
  h = pass.drop(h);
  this->for_each_layer(pass, caches, [&](std::size_t i, const AttentionPass<R>& layer_pass) { h = (*blocks_[i])(h, layer_pass); });
  return (*norm_)(h);
}

template <RealScalar R>
OutputLayer<R> Decoder<R>::output() const {
  if (!head_) return {.weight = embedding_.weight};
  return {.weight = head_->weight, .bias = head_->bias ? &*head_->bias : nullptr};
}

DotAttentionOptions dot_attention_options(const ModelConfig& config) {
  const auto& own = config.own<DecoderConfig>();
  DotAttentionOptions options{.d_model = config.d_model, .n_heads = config.n_heads, .bias = own.attn_bias, .qk_norm = own.qk_norm};
  if (own.position == PositionKind::Rope) options.rope_base = own.rope_base;
  return options;
}

#define ARGAND_DECODER(R)         \
  template class DecoderBlock<R>; \
  template class Decoder<R>;
ARGAND_FOR_REAL(ARGAND_DECODER)

}  // namespace argand
