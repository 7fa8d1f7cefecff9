#pragma once
/// Selects elements by index, and gives the indices of elements in sorted order. Negative axes count from the end; all throw for an
/// axis out of range.

#include "autograd/var.h"

namespace argand {

/// y[i, j, ...] = x[i, index[i, j, ...], ...]: the index selects along the axis; along the others the position stays the same. The
/// index has x's rank, and no other axis longer than x's. The gradient accumulates where an element is taken more than once. Throws
/// for any other shape, or `gather: index 3 is out of range for axis 1 of [2, 3]`.
template <Scalar T>
Var<T> gather(const Var<T>& x, int axis, const Ids& index);

/// x with source[i, j, ...] added to element [i, index[i, j, ...], ...]: the adjoint of gather. Throws as gather does, and unless
/// index and source have the same shape.
template <Scalar T>
Var<T> scatter_add(const Var<T>& x, int axis, const Ids& index, const Var<T>& source);

/// The sorted values, and the index of each along the axis of x.
template <RealScalar R>
struct Sorted {
  Var<R> values;
  Ids indices;
};

/// Sorts along an axis; the order is stable, and NaN ranks above all numbers. Gradients go to the elements the values came from.
template <RealScalar R>
Sorted<R> sort(const Var<R>& x, int axis = -1, bool descending = false);

/// The k largest or smallest elements along an axis, in order. Throws unless 0 <= k <= the axis's size.
template <RealScalar R>
Sorted<R> topk(const Var<R>& x, std::int64_t k, int axis = -1, bool largest = true);

/// The index of the largest or smallest element along the axis; ties go to the first. Throws when the axis is empty.
template <RealScalar R>
Ids argmax(const Var<R>& x, int axis);
template <RealScalar R>
Ids argmin(const Var<R>& x, int axis);

}  // namespace argand
