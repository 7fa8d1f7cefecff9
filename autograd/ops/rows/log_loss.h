#pragma once
/// The tangent of the loss -log softmax(x)[target], shared by cross entropy and InfoNCE.

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/softmax.h"

namespace argand {

/// Σ over the rows of L̇ = Σ_v p_v (ẋ_v - ẋ_t), p = softmax(x), t the row's target, at which `at_target` [..., V] is 1 (elsewhere
/// 0). (Σ p_v ẋ_v - ẋ_t would lose its digits where p_t is almost 1.) A row in which every entry is -inf contributes 0.
template <RealScalar R>
Var<R> log_loss_tangent(const Var<R>& x, const Var<R>& x_dot, const Tensor<R>& at_target) {
  const Var<R> of_target = sum(constant(at_target) * x_dot, -1, true);
  return sum(softmax(x) * (x_dot - of_target));
}

}  // namespace argand
