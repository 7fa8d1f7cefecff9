#include "nn/attention/dot_attention.h"

#include "autograd/ops/elementwise/rotation.h"
#include "autograd/ops/shape.h"

namespace argand {

namespace {

template <RealScalar R>
Projection<R> make_projection(Init& init, const DotAttentionOptions& options, ProjectionKind kind, bool is_output) {
  const std::int64_t d = options.d_model, inner = kind == ProjectionKind::Half ? d / 2 : d;
  if (kind == ProjectionKind::Complex) return Projection<R>::complex(init, d, d);
  return is_output ? Projection<R>::dense(init, inner, d, options.bias) : Projection<R>::dense(init, d, inner, options.bias);
}

}  // namespace

template <RealScalar R>
DotAttention<R>::DotAttention(Init& init, const DotAttentionOptions& options)
    : n_heads_(options.n_heads),
      q_(make_projection<R>(init, options, options.q, false)),
      k_(make_projection<R>(init, options, options.k, false)),
      v_(make_projection<R>(init, options, options.v, false)),
      o_(make_projection<R>(init, options, options.o, true)) {
  const std::int64_t d_k = (options.q == ProjectionKind::Half ? options.d_model / 2 : options.d_model) / options.n_heads;
  if (options.qk_norm) {
    q_norm_.emplace(init, d_k);
    k_norm_.emplace(init, d_k);
  }
  if (options.rope_base) frequencies_ = rotary_frequencies<R>(d_k / 2, *options.rope_base, 2.0 / static_cast<double>(d_k));
}

template <RealScalar R>
Var<R> DotAttention<R>::normalise(const Var<R>& x, const std::optional<RmsNorm<R>>& norm) const {
  if (!norm) return x;
  const std::int64_t B = x.dim(0), T = x.dim(1), D = x.dim(2);
  return reshape((*norm)(reshape(x, {B, T, n_heads_, D / n_heads_})), {B, T, D});
}

template <RealScalar R>
Var<R> DotAttention<R>::operator()(const Var<R>& x, const AttentionPass<R>& pass) const {
  Var<R> q = normalise(q_(x), q_norm_), k = normalise(k_(x), k_norm_);
  if (frequencies_.size() > 0) {
    const Rotary<R> positions{frequencies_, pass.first_position};
    const auto zq = complex_heads(q, n_heads_), zk = complex_heads(k, n_heads_);
    pass.show(zq.value(), zk.value(), n_heads_);
    q = join_heads(rotary(zq, positions));
    k = join_heads(rotary(zk, positions));
  }
  return o_(pass.attend(q, k, v_(x), n_heads_));
}

template class DotAttention<float>;
template class DotAttention<double>;

}  // namespace argand
