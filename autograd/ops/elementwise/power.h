#pragma once
/// z^p for a constant real p, and z²: elementwise, real or complex, any shape.

#include "autograd/var.h"

namespace argand {

/// z^p = |z|^p e^{ip arg z}, principal branch, arg z in [-π, π] (its sign on the cut is that of Im z, as for atan2).
/// Real T: NaN for a negative number and a fractional p. At z = 0 with p < 1 the gradient is 0; with p < 0 the value is infinite.
template <Scalar T>
Var<T> pow(const Var<T>& z, RealOf<T> p);

/// z² (not |z|², which is abs2).
template <Scalar T>
Var<T> square(const Var<T>& z);

}  // namespace argand
