#pragma once
/// The p-norm (Σ |x_i|^p)^(1/p) of the numbers along an axis or of all of them: real for complex x too.

#include "autograd/var.h"

namespace argand {

/// p > 0 (below 1 not a norm); p = 0: how many are not 0, with gradient 0; p = ∞ and -∞: the largest
/// and the smallest modulus. No |x_i|^p overflows or underflows. Where the norm is 0 its gradient is 0, and so is that by an x_i =
/// 0 for p <= 1. A tie of p = ±∞: the first gets the whole gradient. Throws for another p.
template <Scalar T>
Var<RealOf<T>> vector_norm(const Var<T>& x, RealOf<T> p, int axis, bool keepdim = false);
template <Scalar T>
Var<RealOf<T>> vector_norm(const Var<T>& x, RealOf<T> p = 2);

}  // namespace argand
