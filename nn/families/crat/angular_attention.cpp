#include "nn/families/crat/angular_attention.h"

#include <cmath>

#include "autograd/ops/attention/angular_attention.h"
#include "autograd/ops/elementwise/complex_parts.h"

namespace argand {
namespace {

double score_scale(std::int64_t d_h, const CratConfig& config) {
  const auto width = static_cast<double>(d_h);
  const bool mean = config.attention == ScoreKind::Angular && config.angular_reduce == AngularReduce::Mean;
  return 1 / (std::sqrt(width) * (mean ? width : 1));
}

}  // namespace

template <Scalar T>
AngularAttention<T>::AngularAttention(Init& init, std::int64_t n, const ModelConfig& config)
    : n_heads_(config.n_heads),
      angular_(config.own<CratConfig>().attention == ScoreKind::Angular),
      scale_(score_scale(n / config.n_heads, config.own<CratConfig>())),
      q_(init, n, n, false),
      k_(init, n, n, false),
      v_(init, n, n, false),
      o_(init, n, n) {
  require(ComplexScalar<T> || !angular_, "crat", "real states have no phase; use dot attention");
}

template <Scalar T>
Var<T> AngularAttention<T>::operator()(const Var<T>& z, const AttentionPass<R>& pass) const {
  const Var<T> q = q_(z), k = k_(z), v = v_(z);
  if constexpr (ComplexScalar<T>) {
    pass.show(q.value(), k.value(), n_heads_);
    Var<R> keys = view_as_real(k), values = view_as_real(v);
    pass.remember(keys, values);
    const AttentionOptions options = pass.options(n_heads_, scale_);
    if (angular_)
      return o_(pass.watched(view_as_complex(values), n_heads_,
                             [&](const Var<T>& x) { return angular_attention(q, view_as_complex(keys), x, options); }));
    return o_(view_as_complex(
        pass.watched(values, n_heads_, [&](const Var<R>& x) { return attention(view_as_real(q), keys, x, options); })));
  } else {
    Var<R> keys = k, values = v;
    pass.remember(keys, values);
    const AttentionOptions options = pass.options(n_heads_, scale_);
    return o_(pass.watched(values, n_heads_, [&](const Var<R>& x) { return attention(q, keys, x, options); }));
  }
}

#define ARGAND_ANGULAR_ATTENTION_LAYER(T) template class AngularAttention<T>;
ARGAND_FOR_SCALAR(ARGAND_ANGULAR_ATTENTION_LAYER)

}  // namespace argand
