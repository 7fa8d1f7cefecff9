#pragma once
/// log(1 + z), e^z - 1 and related functions, accurate where adding 1 would lose digits: elementwise, any shape.

#include "autograd/var.h"

namespace argand {

/// log(1 + z), principal branch; NaN for real x below -1. -inf at z = -1, with gradient 0.
template <Scalar T>
Var<T> log1p(const Var<T>& z);

/// e^z - 1.
template <Scalar T>
Var<T> expm1(const Var<T>& z);

/// log(1 + e^x), a smooth max(x, 0).
template <RealScalar R>
Var<R> softplus(const Var<R>& x);

/// log σ(x) = -log(1 + e^-x), σ the logistic function.
template <RealScalar R>
Var<R> log_sigmoid(const Var<R>& x);

/// log(e^a + e^b); a and b broadcast as in NumPy. -inf contributes nothing; if both are -inf, so is the result, with gradients 0;
/// if both are +inf, they share the gradient. Throws `logaddexp: shapes cannot be broadcast together: [2, 3] and [4]`.
template <RealScalar R>
Var<R> logaddexp(const Var<R>& a, const Var<R>& b);

}  // namespace argand
