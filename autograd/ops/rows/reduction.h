#pragma once
/// Sums and related reductions, over all elements (rank 0) or over one axis, which is dropped or kept with size 1 (keepdim).
/// Negative axes count from the end; all throw for an axis out of range. The order of every sum is fixed, so the bits do not depend
/// on the number of threads.

#include "autograd/var.h"

namespace argand {

template <Scalar T>
Var<T> sum(const Var<T>& x);
template <Scalar T>
Var<T> sum(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<T> sum(const Var<T>& x, bool keepdim) = delete;  // keepdim needs an axis

/// Throws when there is nothing to average.
template <Scalar T>
Var<T> mean(const Var<T>& x);
template <Scalar T>
Var<T> mean(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<T> mean(const Var<T>& x, bool keepdim) = delete;

/// The population variance 1/n Σ |x - μ|², μ the mean; real for complex x too. Throws when there is nothing to average.
template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x);
template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x, bool keepdim) = delete;

/// √variance; real for complex x too. Where it is 0 its gradient is 0. Throws when there is nothing to average.
template <Scalar T>
Var<RealOf<T>> stddev(const Var<T>& x);
template <Scalar T>
Var<RealOf<T>> stddev(const Var<T>& x, int axis, bool keepdim = false);
template <Scalar T>
Var<RealOf<T>> stddev(const Var<T>& x, bool keepdim) = delete;

/// The largest and the smallest element, along an axis or overall; its first occurrence gets the gradient. NaN if there is a NaN.
/// Throws when there are no elements.
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

/// The median, or the lower of the two middle elements, as in PyTorch; the first element equal to it gets the gradient. NaN if
/// there is a NaN. Throws when there are no elements.
template <RealScalar R>
Var<R> median(const Var<R>& x, int axis, bool keepdim = false);
template <RealScalar R>
Var<R> median(const Var<R>& x);
template <RealScalar R>
Var<R> median(const Var<R>& x, bool keepdim) = delete;

}  // namespace argand
