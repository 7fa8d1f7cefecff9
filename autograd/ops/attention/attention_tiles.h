#pragma once
/// Attention by scalar products, without a tape: what the ops share whose scores are ⟨q, k⟩ of some vectors.

#include <string_view>

#include "autograd/ops/attention/attention_loops.h"

namespace argand {

/// softmax(scale · Q Kᵀ + mask) V and its gradients, as attention() in attention.h describes them, on tensors.
template <RealScalar R>
class AttentionTiles {
 public:
  /// Shapes as of attention(), in entries of `reals` real numbers each: 2 for complex ones seen as pairs, which enter as as_real().
  /// Throws in the name of `op` for shapes or options that do not fit.
  AttentionTiles(std::string_view op, const Shape& q, const Shape& k, const Shape& v, const AttentionOptions& options,
                 std::int64_t reals = 1)
      : loops_(op, q, k, v, options, reals) {}

  struct Output {
    Tensor<R> o;     ///< [B, Tq, H d_v]
    Tensor<R> sums;  ///< of each row of scores, for the backward pass
  };
  /// k or v [B, Tk, ...] with 0 where attention is masked: ops that take k through a function of their own do it before.
  Tensor<R> visible(const Tensor<R>& x) const { return loops_.visible(x); }
  Output forward(const Tensor<R>& q, const Tensor<R>& k, const Tensor<R>& v) const;

  struct Gradients {
    Tensor<R> dq, dk, dv;
  };
  Gradients backward(const Tensor<R>& q, const Tensor<R>& k, const Tensor<R>& v, const Output& output, const Tensor<R>& d_o) const;

 private:
  AttentionLoops<R> loops_;
};

}  // namespace argand
