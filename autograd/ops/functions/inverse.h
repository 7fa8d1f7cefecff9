#pragma once
/// Inverse trigonometric and hyperbolic functions, principal values: elementwise, real or complex (atan2: real), any shape. A real
/// number outside the domain gives NaN; for the complex value, convert it with to_complex. On a cut, the sign of the zero part
/// selects the side (+0 above or right of the axis, -0 below or left), as in C99 and NumPy. At branch points and poles, where the
/// gradient is infinite, it is set to 0.

#include "autograd/var.h"

namespace argand {

/// Cuts on the real axis, (-∞, -1) and (1, ∞). Re w in [-π/2, π/2].
template <Scalar T>
Var<T> asin(const Var<T>& z);
/// π/2 - asin z, with the same cuts. Re w in [0, π].
template <Scalar T>
Var<T> acos(const Var<T>& z);
/// Cuts on the imaginary axis, (-i∞, -i) and (i, i∞); infinite at ±i. Re w in [-π/2, π/2].
template <Scalar T>
Var<T> atan(const Var<T>& z);
/// Cuts on the imaginary axis, as for atan. Im w in [-π/2, π/2].
template <Scalar T>
Var<T> asinh(const Var<T>& z);
/// Cut (-∞, 1). Re w >= 0.
template <Scalar T>
Var<T> acosh(const Var<T>& z);
/// Cuts as for asin; infinite at ±1. Im w in [-π/2, π/2].
template <Scalar T>
Var<T> atanh(const Var<T>& z);

/// The angle of the point (x, y) from the x axis, in [-π, π], for real y and x, which broadcast as in NumPy. Gradient 0 at (0, 0).
/// Throws `atan2: shapes cannot be broadcast together: [2, 3] and [4]`.
template <RealScalar R>
Var<R> atan2(const Var<R>& y, const Var<R>& x);

}  // namespace argand
