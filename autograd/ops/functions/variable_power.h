#pragma once
/// z^p with two variables. (For a constant real p: elementwise/power.h.)

#include "autograd/var.h"

namespace argand {

/// z^p = e^{p log z}, principal branch, arg z in [-π, π]: real or complex, one of each gives complex; they stretch as NumPy's
/// broadcasting has it. Two reals: NaN for a negative z and a fractional p, and the gradient by p of a negative z is NaN.
/// At z = 0: 0 for Re p > 0, 1 for p = 0, infinite else; gradients 0, but for dz of a p = 1.
/// Throws `power: shapes do not broadcast, [2, 3] and [4]`.
template <Scalar A, Scalar B>
Var<Promote<A, B>> pow(const Var<A>& z, const Var<B>& p);

}  // namespace argand
