#pragma once
/// Multi-head attention as a layer, for models outside the families.

#include <vector>

#include "autograd/ops/attention/attention.h"
#include "nn/layers.h"

namespace argand {

/// O(softmax(Re⟨q, k⟩ / √d_k) v), q = Q x, k = K y, v = V y in every head. For complex inputs the score is the real part of the
/// inner product, and d_k counts complex components. Q, K, V, O have biases.
/// Sources: Vaswani et al., Attention Is All You Need (2017), section 3.2; complex: Yang et al., arXiv:1910.10202 (there with
/// eight products in place of Re).
template <Scalar T>
class MultiHeadAttention final : public Module<RealOf<T>> {
 public:
  /// Throws unless width is divisible by heads.
  MultiHeadAttention(Init& init, std::int64_t width, std::int64_t heads);
  /// Self-attention: x [B, L, width] -> [B, L, width]. With `causal`, each position attends only to itself and earlier ones.
  Var<T> operator()(const Var<T>& x, bool causal = false) const { return (*this)(x, x, causal); }
  /// Cross-attention: queries from x [B, L, width], keys and values from y [B, M, width].
  Var<T> operator()(const Var<T>& x, const Var<T>& y, bool causal = false) const;
  ARGAND_FIELDS(RealOf<T>, q, k, v, o)

  Linear<T> q, k, v, o;

 private:
  std::int64_t heads_;
};

}  // namespace argand
