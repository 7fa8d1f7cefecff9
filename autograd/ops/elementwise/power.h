#pragma once
/// z^p for a constant real p, and z²: elementwise, real or complex, any shape.

#include "autograd/var.h"

namespace argand {

/// z^p = |z|^p e^{ip arg z}, principal branch, arg z in [-π, π] (on the cut with the sign of Im z, as in atan2).
/// Real T: NaN for a negative number with fractional p. At z = 0 the gradient is 0 for p < 1, and the value is infinite for p < 0.
template <Scalar T>
Var<T> pow(const Var<T>& z, RealOf<T> p);

/// z² (for |z|² use abs2).
template <Scalar T>
Var<T> square(const Var<T>& z);

}  // namespace argand
