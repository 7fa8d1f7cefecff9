#include "nn/layers/multihead_attention.h"

#include <cmath>

#include "autograd/ops/elementwise/complex_parts.h"

namespace argand {

template <Scalar T>
MultiHeadAttention<T>::MultiHeadAttention(Init& init, std::int64_t width, std::int64_t heads)
    : q(init, width, width), k(init, width, width), v(init, width, width), o(init, width, width), heads_(heads) {
  require(heads >= 1 && width % heads == 0, "MultiHeadAttention", "{} heads do not evenly divide a width of {}", heads, width);
}

template <Scalar T>
Var<T> MultiHeadAttention<T>::operator()(const Var<T>& x, const Var<T>& y, bool causal) const {
  const auto d_k = static_cast<double>(x.dim(-1) / heads_);
  const AttentionOptions options{.n_heads = heads_, .scale = 1 / std::sqrt(d_k), .causal = causal};
  if constexpr (ComplexScalar<T>)
    return o(view_as_complex(attention(view_as_real(q(x)), view_as_real(k(y)), view_as_real(v(y)), options)));
  else
    return o(attention(q(x), k(y), v(y), options));
}

#define ARGAND_MULTI_HEAD_ATTENTION(T) template class MultiHeadAttention<T>;
ARGAND_FOR_SCALAR(ARGAND_MULTI_HEAD_ATTENTION)

}  // namespace argand
