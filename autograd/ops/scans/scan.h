#pragma once
/// Cumulative sums and products along one axis, and the linear recurrence that generalizes both. Real or complex; negative axes
/// count from the end, and all throw for an axis out of range. O(n) and without division, so factors of 0 are no problem.

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

/// The product over an axis, which is dropped or kept with size 1, or over all elements; the empty product is 1.
template <Scalar T>
Var<T> prod(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<T> prod(const Var<T>& x);
template <Scalar T>
Var<T> prod(const Var<T>& x, bool keepdim) = delete;  // keepdim needs an axis

/// s_k = a_k s_{k-1} + b_k, s_0 = b_0 (a_0 is not used), a and b of the same shape: a linear recurrent layer with a diagonal
/// matrix, or a bank of first-order filters. Throws when the shapes differ.
template <Scalar T>
Var<T> linear_recurrence(const Var<T>& a, const Var<T>& b, int axis);

}  // namespace argand
