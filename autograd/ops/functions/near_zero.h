#pragma once
/// log(1 + z), e^z - 1 and what is made of them, with the digits that the sum with 1 would lose: elementwise, any shape.

#include "autograd/var.h"

namespace argand {

/// log(1 + z), principal branch; a real x below -1 gives NaN. -inf at z = -1, with gradient 0.
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

/// log(e^a + e^b), a and b stretched as NumPy's broadcasting has it. -inf counts nothing; two of them give -inf with gradients 0,
/// two of +inf share the gradient. Throws `logaddexp: shapes do not broadcast, [2, 3] and [4]`.
template <RealScalar R>
Var<R> logaddexp(const Var<R>& a, const Var<R>& b);

}  // namespace argand
