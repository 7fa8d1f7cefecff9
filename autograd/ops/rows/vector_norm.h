#pragma once
/// The p-norm (Σ |x_i|^p)^(1/p) along an axis or over all elements; real for complex x too.

#include "autograd/var.h"

namespace argand {

/// p > 0 (for p < 1 it is not a norm); p = 0 counts the nonzero elements, with gradient 0; p = ∞ and -∞ give the largest and the
/// smallest modulus. No |x_i|^p overflows or underflows. Where the norm is 0 its gradient is 0, and for p <= 1 so is the gradient
/// with respect to an x_i = 0. In a tie with p = ±∞, the first element gets the whole gradient. Throws for NaN and finite p < 0.
template <Scalar T>
Var<RealOf<T>> vector_norm(const Var<T>& x, RealOf<T> p, int axis, bool keepdim = false);
template <Scalar T>
Var<RealOf<T>> vector_norm(const Var<T>& x, RealOf<T> p = 2);

}  // namespace argand
