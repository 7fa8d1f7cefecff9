#pragma once
/// Sums and their relatives, over everything (result of rank 0) or over one axis, which goes away or stays with size 1 (keepdim).
/// Negative axes count from the end; all throw for an axis out of range. The order of every sum is fixed: the same bits for any
/// number of threads.

#include "autograd/var.h"

namespace argand {

template <Scalar T>
Var<T> sum(const Var<T>& x);
template <Scalar T>
Var<T> sum(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<T> sum(const Var<T>& x, bool keepdim) = delete;  // name the axis

/// Throw when there is nothing to average.
template <Scalar T>
Var<T> mean(const Var<T>& x);
template <Scalar T>
Var<T> mean(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<T> mean(const Var<T>& x, bool keepdim) = delete;

/// Of the population, 1/n Σ |x - μ|², μ the mean: real for complex x too. Throw when there is nothing to average.
template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x);
template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x, bool keepdim) = delete;

/// √variance: real for complex x too; where it is 0 its gradient is 0. Throw when there is nothing to average.
template <Scalar T>
Var<RealOf<T>> stddev(const Var<T>& x);
template <Scalar T>
Var<RealOf<T>> stddev(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<RealOf<T>> stddev(const Var<T>& x, bool keepdim) = delete;

/// The largest and the smallest number along an axis or of all; its first occurrence gets the gradient. NaN when there is one.
/// Throw when there is none.
template <RealScalar R>
Var<R> max(const Var<R>& x, int axis, bool keepdim = false);
template <RealScalar R>
Var<R> max(const Var<R>& x);
template <RealScalar R>
Var<R> max(const Var<R>& x, bool keepdim) = delete;
template <RealScalar R>
Var<R> min(const Var<R>& x, int axis, bool keepdim = false);
template <RealScalar R>
Var<R> min(const Var<R>& x);
template <RealScalar R>
Var<R> min(const Var<R>& x, bool keepdim) = delete;

/// The middle one in order of size, of two the lower (as PyTorch's); the first number that is equal to it gets the gradient. NaN
/// when there is one. Throw when there is none.
template <RealScalar R>
Var<R> median(const Var<R>& x, int axis, bool keepdim = false);
template <RealScalar R>
Var<R> median(const Var<R>& x);
template <RealScalar R>
Var<R> median(const Var<R>& x, bool keepdim) = delete;

}  // namespace argand
