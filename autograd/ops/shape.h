#pragma once
/// Rearrangements of elements, without arithmetic. Real or complex.

#include <vector>

#include "autograd/var.h"

namespace argand {

/// The same elements in the same order in another shape of the same size; no copy. Throws when the sizes differ.
template <Scalar T>
Var<T> reshape(const Var<T>& x, const Shape& shape);
/// One size may be -1 and is inferred from the others: reshape(x, {2, -1}).
template <Scalar T>
Var<T> reshape(const Var<T>& x, std::initializer_list<std::int64_t> sizes);

/// Axis k of the result is axis axes[k] of x, as in NumPy's transpose(axes). Throws unless axes is a permutation of x's axes.
template <Scalar T>
Var<T> permute(const Var<T>& x, const std::vector<int>& axes);
/// Swaps two axes, by default the last two. Throws for an axis out of range.
template <Scalar T>
Var<T> transpose(const Var<T>& x, int a = -2, int b = -1);

/// Joins tensors along an axis; their other sizes must agree. Throws when they do not, or when there is no tensor.
template <Scalar T>
Var<T> concatenate(const std::vector<Var<T>>& parts, int axis);

/// x[..., begin:end, ...]: the elements begin <= i < end of one axis. Throws unless 0 <= begin <= end <= the axis's size.
template <Scalar T>
Var<T> slice(const Var<T>& x, int axis, std::int64_t begin, std::int64_t end);

}  // namespace argand
