#include "nn/families/qic/qic_attention.h"

#include <cmath>

#include "autograd/ops/attention/magnitude_attention.h"

namespace argand {

template <RealScalar R>
QicAttention<R>::QicAttention(Init& init, const ModelConfig& config)
    : own_(config.own<QicConfig>()),
      d_model_(config.d_model),
      n_heads_(config.n_heads),
      theta_(make_angles<R>(init, own_, n_heads_)) {
  const std::int64_t n = d_model_ / parts_of(own_.algebra);
  for (auto* map : {&q_, &k_, &v_, &o_}) *map = make_number_linear<R>(init, own_.algebra, n, n);
}

template <RealScalar R>
Var<R> QicAttention<R>::operator()(const Var<R>& x, const Var<R>& block_theta, const AttentionPass<R>& pass) const {
  const Measure<R> measure = measure_at(own_, theta_);
  const Var<R> q = (*q_)(x, theta_);
  Var<R> k = (*k_)(x, theta_), v = (*v_)(x, theta_);
  if (measure.parts == 2) pass.show(as_complex(q.value()), as_complex(k.value()), n_heads_);
  pass.remember(k, v);
  const auto numbers = static_cast<double>(d_model_ / n_heads_ / measure.parts);
  const AttentionOptions options = pass.options(n_heads_, 1 / std::sqrt(numbers));
  const Var<R> y = pass.watched(
      v, n_heads_, [&](const Var<R>& x) { return magnitude_attention(q, k, x, measure, own_.conjugate_keys, options); });
  return (*o_)(y, block_theta);
}

template <RealScalar R>
void QicAttention<R>::visit(const Visit<R>& f) const {
  if (theta_.requires_grad()) f("theta", theta_);
  f("q", *q_);
  f("k", *k_);
  f("v", *v_);
  f("o", *o_);
}

template class QicAttention<float>;
template class QicAttention<double>;

}  // namespace argand
