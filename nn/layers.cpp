#include "nn/layers.h"

#include "nn/pass.h"

#include <cmath>

#include "autograd/ops/elementwise/activation.h"
#include "autograd/ops/elementwise/dropout.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/norm.h"
#include "autograd/tape.h"

namespace argand {

template <Scalar T>
Linear<T>::Linear(Init& init, std::int64_t in, std::int64_t out, bool with_bias, Role role)
    : weight(init.normal<T>(role, {out, in}, 1 / std::sqrt(static_cast<double>(in)))) {
  if (with_bias) bias = init.full<T>(Role::Bias, {out}, 0);
}
template <Scalar T>
Var<T> Linear<T>::operator()(const Var<T>& x) const {
  return bias ? linear(x, weight, *bias) : linear(x, weight);
}
template <Scalar T>
Embedding<T>::Embedding(Init& init, std::int64_t count, std::int64_t width, double std)
    : weight(init.normal<T>(Role::Embedding, {count, width}, std)) {}
template <Scalar T>
Var<T> Embedding<T>::operator()(const Ids& ids) const {
  return embedding(weight, ids);
}
template <Scalar T>
LayerNorm<T>::LayerNorm(Init& init, std::int64_t width)
    : weight(init.full<RealOf<T>>(Role::Gain, {width}, 1)), bias(init.full<T>(Role::Bias, {width}, 0)) {}
template <Scalar T>
Var<T> LayerNorm<T>::operator()(const Var<T>& x) const {
  return layer_norm(x, weight, bias);
}
template <Scalar T>
RmsNorm<T>::RmsNorm(Init& init, std::int64_t width) : weight(init.full<RealOf<T>>(Role::Gain, {width}, 1)) {}
template <Scalar T>
Var<T> RmsNorm<T>::operator()(const Var<T>& x) const {
  return rms_norm(x, weight);
}
template <RealScalar R>
AnyNorm<R>::AnyNorm(Init& init, NormKind kind, std::int64_t width) {
  if (kind == NormKind::LayerNorm)
    layer_.emplace(init, width);
  else
    rms_.emplace(init, width);
}

template <RealScalar R>
FeedForward<R>::FeedForward(Init& init, FeedForwardKind kind, std::int64_t d_model, std::int64_t d_ff, bool bias)
    : up_(init, d_model, d_ff, bias), down_(init, d_ff, d_model, bias) {
  if (kind == FeedForwardKind::SwiGlu) gate_.emplace(init, d_model, d_ff, bias);
}
template <RealScalar R>
Var<R> FeedForward<R>::operator()(const Var<R>& x) const {
  return down_(gate_ ? swiglu((*gate_)(x), up_(x)) : gelu(up_(x)));
}
template <Scalar T>
Var<T> ForwardPass::drop(const Var<T>& x) {
  return dropout_ > 0 ? argand::dropout(x, dropout_, true, next_random()) : x;
}

template <RealScalar R>
Tensor<R> sinusoids(std::int64_t first, std::int64_t T, std::int64_t d) {
  Tensor<R> table(Shape{T, d});
  for (std::int64_t t = 0; t < T; ++t)
    for (std::int64_t c = 0; c < d; ++c) {
      const double angle =
          static_cast<double>(first + t) * std::pow(10000.0, -static_cast<double>(c / 2 * 2) / static_cast<double>(d));
      table.data()[t * d + c] = static_cast<R>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  return table;
}

#define ARGAND_LAYERS(T)       \
  template class Linear<T>;    \
  template class Embedding<T>; \
  template class LayerNorm<T>; \
  template class RmsNorm<T>;   \
  template Var<T> ForwardPass::drop(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_LAYERS)
#define ARGAND_REAL_LAYERS(R)    \
  template class AnyNorm<R>;     \
  template class FeedForward<R>; \
  template Tensor<R> sinusoids(std::int64_t, std::int64_t, std::int64_t);
ARGAND_FOR_REAL(ARGAND_REAL_LAYERS)

}  // namespace argand
