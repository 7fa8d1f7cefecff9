#pragma once
/// z^p with two variables. (For a constant real p: elementwise/power.h.)

#include "autograd/var.h"

namespace argand {

/// z^p = e^{p log z}, principal branch, arg z in [-π, π]. Real or complex (one of each gives complex), with broadcasting as in
/// NumPy. Two reals: for a negative z the value is NaN if p is fractional, and the gradient with respect to p is always NaN.
/// At z = 0 the value is 0 for Re p > 0, 1 for p = 0 and infinite otherwise; the gradients are 0, except dz for p = 1.
/// Throws `power: shapes cannot be broadcast together: [2, 3] and [4]`.
template <Scalar A, Scalar B>
Var<Promote<A, B>> pow(const Var<A>& z, const Var<B>& p);

}  // namespace argand
