#include "nn/families/crat/model.h"

#include <algorithm>

#include "autograd/ops/elementwise/activation.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_activation.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/rotation.h"
#include "autograd/ops/elementwise/sinusoid.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"

namespace argand {
namespace {

/// How many values of type T have `width` real degrees of freedom in total.
template <Scalar T>
std::int64_t count_in(std::int64_t width) {
  return ComplexScalar<T> ? width / 2 : width;
}

}  // namespace

template <Scalar T>
CratBlock<T>::CratBlock(Init& init, const ModelConfig& config, std::int64_t n, std::int64_t n_ff, bool has_window)
    : norm1_(init, n), attn_(init, n, config), norm2_(init, n), up_(init, n, n_ff), down_(init, n_ff, n) {
  const auto& own = config.own<CratConfig>();
  if (has_window) irw_.emplace(init, n, config.d_model, own.irw_dim, own.irw_top_k, own.irw_temperature);
}

template <Scalar T>
Var<T> CratBlock<T>::operator()(const Var<T>& z, const AttentionPass<R>& pass, PassageMeans<R>* means,
                                const Lookup<R>& lookup) const {
  Var<T> y = z;
  {
    const NameScope scope("attn");
    y = y + pass.drop(attn_(norm1_(y), pass));
  }
  if (irw_) {
    const NameScope scope("irw");
    y = y + pass.drop((*irw_)(y, *means, lookup));
  }
  const NameScope scope("ffn");
  const Var<T> wide = up_(norm2_(y));
  if constexpr (ComplexScalar<T>)
    return y + pass.drop(down_(cgelu(wide)));
  else
    return y + pass.drop(down_(gelu(wide)));
}

template <Scalar T>
void CratBlock<T>::visit(const Visit<R>& f) const {
  f("norm1", norm1_);
  f("attn", attn_);
  f("irw", irw_);
  f("norm2", norm2_);
  f("ffn.up", up_);
  f("ffn.down", down_);
}

template <Scalar T>
Crat<T>::Crat(const ModelConfig& config, std::uint64_t seed)
    : TextModel<R>(config),
      init_(seed),
      embedding_(init_, config.vocab_size, config.d_model, 0.5),
      embedding_bias_(init_.full<R>(Role::Bias, {config.d_model}, 0)),
      re_(init_, config.d_model, count_in<T>(config.d_model)),
      out_(init_, config.d_model, config.d_model),
      out_norm_(init_, config.d_model),
      head_(init_, config.d_model, config.task == TextTask::Lm ? config.vocab_size : config.n_classes, true, Role::Output) {
  const auto& own = config.own<CratConfig>();
  if (own.phase_offsets) phase_ = init_.full<R>(Role::Angle, {config.d_model / 2}, 0);
  if constexpr (ComplexScalar<T>) {
    im_.emplace(init_, config.d_model, config.d_model / 2);
    if (own.rotation) theta_.emplace(init_, config.d_model, config.d_model / 2);
  }
  for (std::int64_t i = 0; i < config.n_layers; ++i)
    blocks_.push_back(
        std::make_unique<CratBlock<T>>(init_, config, count_in<T>(config.d_model), count_in<T>(config.d_ff), own.retrieves_in(i)));
}

template <Scalar T>
Var<T> Crat<T>::states(const Ids& tokens, const AttentionPass<R>& pass) const {
  const std::int64_t length = tokens.shape()[1], first = pass.first_position;
  const Var<R> position = phase_ ? sinusoid(*phase_, first, length) : Var<R>(sinusoids<R>(first, length, this->config_.d_model));
  const Var<R> h = pass.drop(embedding_(tokens) + (position + embedding_bias_));
  if constexpr (ComplexScalar<T>) {
    const Var<T> z = make_complex(re_(h), (*im_)(h));
    return theta_ ? rotate(z, (*theta_)(h)) : z;
  } else {
    return re_(h);
  }
}

template <Scalar T>
auto Crat<T>::hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const -> Var<R> {
  const Knowledge* knowledge = pass.context().knowledge;
  std::optional<PassageMeans<R>> means;
  if (!this->config_.windows().layers.empty()) {
    require(knowledge != nullptr && knowledge->passages != nullptr, "crat",
            "reflection windows (irw_layers) need a knowledge base, but none was given");
    means.emplace(*knowledge->passages, embedding_.weight, embedding_bias_);
  }
  Var<T> z = states(tokens, pass);
  std::size_t windows = 0;
  this->for_each_layer(pass, caches, [&](std::size_t i, const AttentionPass<R>& layer_pass) {
    Lookup<R> lookup{.excluded = pass.context().excluded, .knowledge = knowledge};
    if (blocks_[i]->window() && !knowledge->indexes.empty()) lookup.index = knowledge->indexes.at(windows++);
    if (caches != nullptr) lookup.cached = &layer_pass.cache->template own<CachedEncodings<R>>();
    z = (*blocks_[i])(z, layer_pass, means ? &*means : nullptr, lookup);
  });
  if constexpr (ComplexScalar<T>)
    return out_norm_(out_(concatenate<R>({real(z), imag(z)}, -1)));
  else
    return out_norm_(out_(z));
}

template <Scalar T>
auto Crat<T>::output() const -> OutputLayer<R> {
  return {.weight = head_.weight, .bias = &*head_.bias};
}

template <Scalar T>
auto Crat<T>::encode_passages(const Ids& passages) const -> std::vector<Tensor<R>> {
  const NoGrad none;
  PassageMeans<R> means(passages, embedding_.weight, embedding_bias_);
  std::vector<Tensor<R>> encodings;
  for (const auto& block : blocks_)
    if (block->window()) encodings.push_back(block->window()->encode(means.all()).value());
  return encodings;
}

template <Scalar T>
void Crat<T>::visit(const Visit<R>& f) const {
  f("embedding", embedding_);
  f("embedding.bias", embedding_bias_);
  f("position.phase", phase_);
  f("state.re", re_);
  f("state.im", im_);
  f("state.theta", theta_);
  for (std::size_t i = 0; i < blocks_.size(); ++i) f("blocks." + std::to_string(i), *blocks_[i]);
  f("out", out_);
  f("out_norm", out_norm_);
  f("head", head_);
}

#define ARGAND_CRAT(T)         \
  template class CratBlock<T>; \
  template class Crat<T>;
ARGAND_FOR_SCALAR(ARGAND_CRAT)

}  // namespace argand
