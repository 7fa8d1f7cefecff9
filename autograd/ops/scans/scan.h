#pragma once
/// Running sums and products along one axis, and the linear recurrence that both are cases of. Real or complex; negative axes count
/// from the end, all throw for an axis out of range. O(n), without a division: zeros among the factors are ordinary numbers.

#include "autograd/var.h"

namespace argand {

/// y_k = x_0 + ... + x_k.
template <Scalar T>
Var<T> cumsum(const Var<T>& x, int axis);

/// y_k = log(e^{x_0} + ... + e^{x_k}).
template <RealScalar R>
Var<R> logcumsumexp(const Var<R>& x, int axis);

/// y_k = x_0 x_1 ... x_k.
template <Scalar T>
Var<T> cumprod(const Var<T>& x, int axis);

/// The product over an axis, which goes away or stays with size 1, or over everything; 1 where there is nothing.
template <Scalar T>
Var<T> prod(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<T> prod(const Var<T>& x);
template <Scalar T>
Var<T> prod(const Var<T>& x, bool keepdim) = delete;  // name the axis

/// s_k = a_k s_{k-1} + b_k, s_0 = b_0 (a_0 is not read), a and b of one shape: a linear recurrent layer with a diagonal matrix, a
/// bank of first-order filters. Throws when the shapes differ.
template <Scalar T>
Var<T> linear_recurrence(const Var<T>& a, const Var<T>& b, int axis);

}  // namespace argand
