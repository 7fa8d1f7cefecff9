#pragma once
/// exp, log, sqrt: elementwise, real or complex, any shape.

#include "autograd/var.h"

namespace argand {

/// w = e^z.
template <Scalar T>
Var<T> exp(const Var<T>& z);

/// Principal branch, Im w in [-π, π] (-π for a negative real number with imaginary part -0). Real T: NaN for negative numbers, -inf
/// at 0 with gradient 0.
template <Scalar T>
Var<T> log(const Var<T>& z);

/// Principal branch, Re w >= 0. Real T: NaN for negative numbers. Gradient 0 at z = 0.
template <Scalar T>
Var<T> sqrt(const Var<T>& z);

}  // namespace argand
