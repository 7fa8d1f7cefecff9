#include "nn/families/qic/real_encoder.h"

#include <cmath>
#include <limits>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"

namespace argand {
namespace {

std::int64_t outputs(const ModelConfig& c) { return c.task == TextTask::Lm ? c.vocab_size : c.n_classes; }

std::int64_t parameters_of_standard(const ModelConfig& c) {
  const std::int64_t d = c.d_model, f = c.d_ff;
  const std::int64_t attention = 4 * (d * d + d), feed_forward = 2 * d * f + f + d, norms = 4 * d;
  return (c.vocab_size + c.max_seq_len) * d + c.n_layers * (attention + feed_forward + norms) + outputs(c) * (d + 1);
}

/// The number of real degrees of freedom of Qic with learned angles.
std::int64_t parameters_of_qic(const ModelConfig& c) {
  const std::int64_t n = c.d_model / 2, f = c.d_ff / 2;
  const std::int64_t attention = 2 * 4 * (n * n + n), feed_forward = 2 * (2 * n * f + f + n), norms = 2 * n, angles = 1 + c.n_heads;
  return 2 * (c.vocab_size + c.max_seq_len) * n + c.n_layers * (attention + feed_forward + norms + angles) + n + 1 +
         outputs(c) * (2 * n + 1);
}

}  // namespace

ModelConfig real_row(const ModelConfig& config) {
  if (config.own<QicConfig>().algebra != Algebra::Real) return config;
  const std::int64_t wanted = parameters_of_qic(config);
  ModelConfig best = config;
  std::int64_t off = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t d = config.n_heads; d <= 2 * config.d_model; d += config.n_heads) {
    ModelConfig row = config;
    row.d_model = d;
    row.d_ff = std::max<std::int64_t>(1, (2 * config.d_ff * d + config.d_model) / (2 * config.d_model));
    const std::int64_t difference = std::abs(parameters_of_standard(row) - wanted);
    if (difference < off) off = difference, best = row;
  }
  return best;
}

template <RealScalar R>
RealEncoder<R>::Block::Block(Init& init, const ModelConfig& config)
    : attn_(init, {.d_model = config.d_model, .n_heads = config.n_heads}),
      norm1_(init, config.d_model),
      ffn_(init, FeedForwardKind::Gelu, config.d_model, config.d_ff, true),
      norm2_(init, config.d_model) {}

template <RealScalar R>
Var<R> RealEncoder<R>::Block::operator()(const Var<R>& x, const AttentionPass<R>& pass) const {
  Var<R> y = x;
  {
    const NameScope scope("attn");
    y = norm1_(y + pass.drop(attn_(y, pass)));
  }
  const NameScope scope("ffn");
  return norm2_(y + pass.drop(ffn_(y)));
}

template <RealScalar R>
void RealEncoder<R>::Block::visit(const Visit<R>& f) const {
  f("attn", attn_);
  f("norm1", norm1_);
  f("ffn", ffn_);
  f("norm2", norm2_);
}

template <RealScalar R>
RealEncoder<R>::RealEncoder(const ModelConfig& config, std::uint64_t seed) : RealEncoder(config, real_row(config), seed) {}

template <RealScalar R>
RealEncoder<R>::RealEncoder(const ModelConfig& config, const ModelConfig& row, std::uint64_t seed)
    : TextModel<R>(config),
      init_(seed),
      embedding_(init_, row.vocab_size, row.d_model, 0.5),
      position_(init_, row.max_seq_len, row.d_model, 0.1),
      head_(init_, row.d_model, outputs(row), true, Role::Output) {
  for (std::int64_t i = 0; i < row.n_layers; ++i) blocks_.push_back(std::make_unique<Block>(init_, row));
}

template <RealScalar R>
Var<R> RealEncoder<R>::hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const {
  const std::int64_t T = tokens.shape()[1], first = pass.first_position;
  Var<R> x = pass.drop(embedding_(tokens) + slice(position_.weight, 0, first, first + T));
  this->for_each_layer(pass, caches, [&](std::size_t i, const AttentionPass<R>& layer_pass) { x = (*blocks_[i])(x, layer_pass); });
  return x;
}

template class RealEncoder<float>;
template class RealEncoder<double>;

}  // namespace argand
