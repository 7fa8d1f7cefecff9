#pragma once
/// Scaled dot-product attention without a tape: shared by the ops whose scores are dot products ⟨q, k⟩.

#include <string_view>

#include "autograd/ops/attention/attention_loops.h"

namespace argand {

/// softmax(scale · Q Kᵀ + mask) V and its gradients, on tensors; see attention() in attention.h.
template <RealScalar R>
class AttentionTiles {
 public:
  /// Shapes as in attention(), in entries of `reals` real numbers each: 2 for complex ones, which are passed as pairs via
  /// as_real(). Throws errors that name `op` for mismatched shapes or invalid options.
  AttentionTiles(std::string_view op, const Shape& q, const Shape& k, const Shape& v, const AttentionOptions& options,
                 std::int64_t reals = 1)
      : loops_(op, q, k, v, options, reals) {}

  struct Output {
    Tensor<R> o;     ///< [B, Tq, H d_v]
    Tensor<R> sums;  ///< sums of each row of scores, for the backward pass
  };
  /// k or v [B, Tk, ...] with 0 where attention is masked. Ops that transform k themselves call this first.
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
