#pragma once
/// Numbers as vectors in the plane: dot products and deviations, for the tangents of norms.

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/rows/reduction.h"

namespace argand {

/// Re(conj(a) b), elementwise; for reals, a b.
template <Scalar T>
Var<RealOf<T>> scalar_product(const Var<T>& a, const Var<T>& b) {
  if constexpr (RealScalar<T>)
    return a * b;
  else
    return real(conj(a) * b);
}

/// x - mean(x) along the axis. The mean is rounded, so the mean of the differences is subtracted too. For equal elements the
/// differences are equal multiples of one bit, whose sum and quotient are exact, so the result is 0.
template <Scalar T>
Var<T> centred(const Var<T>& x, int axis) {
  const Var<T> nearly = x - mean(x, axis, true);
  return nearly - sum(nearly, axis, true) / static_cast<RealOf<T>>(x.dim(axis));
}

}  // namespace argand
