#pragma once
/// κ(θ) as an expression of ops, for the tangents of ops whose kernels compute κ themselves.

#include "autograd/forward.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/trigonometric.h"

namespace argand {

/// κ = -1 + sin 2θ with its tangent κ̇ = 2 cos 2θ θ̇.
template <RealScalar R>
Var<R> kappa(const Var<R>& theta) {
  const Var<R> twice = R(2) * theta;
  return (sin(twice) - R(1)).with_tangent(cos(twice) * (R(2) * tangent(theta)));
}

}  // namespace argand
