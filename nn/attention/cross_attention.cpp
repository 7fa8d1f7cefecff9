#include "nn/attention/cross_attention.h"

#include <cmath>

#include "autograd/ops/elementwise/rotation.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"

namespace argand {

template <RealScalar R>
CrossAttention<R>::CrossAttention(Init& init, std::int64_t d_model, std::int64_t n_heads, std::optional<double> rope_base)
    : n_heads_(n_heads),
      width_(d_model / n_heads),
      q_(init, d_model, d_model),
      k_(init, d_model, d_model, false),
      v_(init, d_model, d_model),
      o_(init, d_model, d_model) {
  if (rope_base) frequencies_ = rotary_frequencies<R>(width_ / 2, *rope_base, 2.0 / static_cast<double>(width_));
}

template <RealScalar R>
double CrossAttention<R>::scale() const {
  return 1 / std::sqrt(static_cast<double>(width_));
}

template <RealScalar R>
Var<R> CrossAttention<R>::placed(const Var<R>& x, const Places& places) const {
  if (frequencies_.size() == 0) return x;
  const std::int64_t period = places.period > 0 ? places.period : x.dim(1);
  const Var<R> rounds = reshape(x, {x.dim(0) * x.dim(1) / period, period, x.dim(2)});
  return reshape(join_heads(rotary(complex_heads(rounds, n_heads_), {frequencies_, places.first})), x.shape());
}

template <RealScalar R>
Var<R> CrossAttention<R>::operator()(const Var<R>& x, const Var<R>& y, ForwardPass& pass, const Places& of_x,
                                     const Places& of_y) const {
  const AttentionOptions options = AttentionPass<R>{.forward = pass, .causal = false}.options(n_heads_, scale());
  return o_(attention(placed(q_(x), of_x), placed(k_(y), of_y), v_(y), options));
}

template <RealScalar R>
Tensor<R> CrossAttention<R>::shares(const Var<R>& x, const Var<R>& y, std::int64_t parts, const Places& of_x,
                                    const Places& of_y) const {
  // The values are one-hot vectors that encode the part each key belongs to, so the output is the sum of the weights in each part.
  const NoGrad none;
  const std::int64_t N = x.dim(0), t = x.dim(1), K = y.dim(1);
  Tensor<R> where = Tensor<R>::zeros({N, K, n_heads_ * parts});
  for (std::int64_t i = 0; i < N * K; ++i)
    for (std::int64_t h = 0; h < n_heads_; ++h) where.data()[(i * n_heads_ + h) * parts + i % K * parts / K] = 1;
  const AttentionOptions options{.n_heads = n_heads_, .scale = scale()};
  const Tensor<R> by_head = attention(placed(q_(x), of_x), placed(k_(y), of_y), Var<R>(where), options).value();
  Tensor<R> mean = Tensor<R>::zeros({N, t, parts});
  for (std::int64_t i = 0; i < N * t; ++i)
    for (std::int64_t h = 0; h < n_heads_; ++h)
      for (std::int64_t p = 0; p < parts; ++p)
        mean.data()[i * parts + p] += by_head.data()[(i * n_heads_ + h) * parts + p] / static_cast<R>(n_heads_);
  return mean;
}

template class CrossAttention<float>;
template class CrossAttention<double>;

}  // namespace argand
