#include "autograd/ops/attention/attention_tangent.h"

#include "autograd/forward.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/softmax.h"
#include "autograd/ops/shape.h"

namespace argand {
namespace {

/// Calls f(b, h, query, first key, count, offset in an array [B, H, Tq, Tk]) for all keys, in the pieces that the loops use.
template <RealScalar R, class F>
void for_each_piece(const AttentionLoops<R>& a, std::int64_t H, const F& f) {
  for (std::int64_t b = 0; b < a.B; ++b)
    for (std::int64_t h = 0; h < H; ++h)
      for (std::int64_t i = 0; i < a.Tq; ++i)
        for (std::int64_t k0 = 0; k0 < a.Tk; k0 += a.key_tile)
          f(b, h, i, k0, std::min(a.key_tile, a.Tk - k0), ((b * H + h) * a.Tq + i) * a.Tk + k0);
}

/// The mask to add to the scores, [B, 1, Tq, Tk]: -infinity where a key is hidden from a query.
template <RealScalar R>
Tensor<R> hiding(const AttentionLoops<R>& a) {
  Tensor<R> mask = Tensor<R>::zeros({a.B, 1, a.Tq, a.Tk});
  for_each_piece(
      a, 1, [&](auto b, auto, auto i, auto k0, auto columns, auto at) { a.mask_scores(b, i, 1, k0, columns, mask.data() + at); });
  return mask;
}

/// M̃: 1/(1-p), or 0 where dropped. [B, H, Tq, Tk]
template <RealScalar R>
Tensor<R> keeping(const AttentionLoops<R>& a) {
  Tensor<R> mask(Shape{a.B, a.H, a.Tq, a.Tk});
  for_each_piece(a, a.H, [&](auto b, auto h, auto i, auto k0, auto columns, auto at) {
    a.dropout_mask(b, h, i, 1, k0, columns, mask.data() + at);
  });
  return mask;
}

}  // namespace

template <RealScalar R>
Var<R> heads_first(const Var<R>& x, std::int64_t H) {
  const auto split = [H](const Var<R>& y) { return permute(reshape(y, {y.dim(0), y.dim(1), H, y.dim(2) / H}), {0, 2, 1, 3}); };
  return split(x).with_tangent(split(tangent(x)));
}

template <RealScalar R>
Var<R> weighting_tangent(const AttentionLoops<R>& a, const Var<R>& scores, const Var<R>& v) {
  const bool masked = a.options.causal || a.options.visible_keys;
  Var<R> p = softmax(masked ? scores + constant(hiding(a)) : scores);
  const Var<R> pull = p * tangent(scores);
  Var<R> p_dot = pull - p * sum(pull, -1, true);
  if (a.options.dropout > 0) {
    const Var<R> keep = constant(keeping(a));
    p = keep * p;
    p_dot = keep * p_dot;
  }
  const Var<R> values = heads_first(v, a.H);
  const Var<R> o = matmul(p_dot, values) + matmul(p, tangent(values));
  return reshape(permute(o, {0, 2, 1, 3}), {a.B, a.Tq, a.H * a.dv});
}

template <RealScalar R>
Var<R> attention_tangent(const Var<R>& q, const Var<R>& k, const Var<R>& v, const AttentionOptions& options) {
  const AttentionLoops<R> a("attention", q.shape(), k.shape(), v.shape(), options);
  const Var<R> queries = heads_first(q, a.H), keys = heads_first(k, a.H);
  const auto product = [scale = static_cast<R>(options.scale)](const Var<R>& x, const Var<R>& y) {
    return matmul(scale * x, y, Transpose::No, Transpose::Yes);
  };
  const Var<R> scores = product(queries, keys);
  return weighting_tangent(a, scores.with_tangent(product(tangent(queries), keys) + product(queries, tangent(keys))), v);
}

#define ARGAND_ATTENTION_TANGENT(R)                                                          \
  template Var<R> heads_first(const Var<R>&, std::int64_t);                                  \
  template Var<R> weighting_tangent(const AttentionLoops<R>&, const Var<R>&, const Var<R>&); \
  template Var<R> attention_tangent(const Var<R>&, const Var<R>&, const Var<R>&, const AttentionOptions&);
ARGAND_FOR_REAL(ARGAND_ATTENTION_TANGENT)

}  // namespace argand
