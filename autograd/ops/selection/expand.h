#pragma once
/// Selects elements along one axis, each any number of times, and the functions built on this: broadcasting, reversing, shifting,
/// padding. Real or complex. Negative axes count from the end; all throw for an axis out of range.

#include <vector>

#include "autograd/var.h"

namespace argand {

/// Broadcasts x as NumPy does: axes of size 1, and missing leading axes, take the sizes of `shape`. The gradient is summed over
/// these axes. Throws `expand: [2, 3] cannot be expanded to [4]`.
template <Scalar T>
Var<T> expand(const Var<T>& x, const Shape& shape);

/// y[..., i, ...] = x[..., index[i], ...] along one axis; an index may occur any number of times.
/// Throws for an index outside the axis.
template <Scalar T>
Var<T> index_select(const Var<T>& x, int axis, const std::vector<std::int64_t>& index);

/// Reverses the order of the elements along the axes: y[i] = x[n - 1 - i].
template <Scalar T>
Var<T> flip(const Var<T>& x, const std::vector<int>& axes);

/// y[(i + shift) mod n] = x[i]: elements shifted past one end re-enter at the other.
template <Scalar T>
Var<T> roll(const Var<T>& x, std::int64_t shift, int axis);

enum class PadMode {
  Constant,   ///< with a constant value
  Reflect,    ///< mirrored at the last element, which is not repeated: c b | a b c | b a; fewer than n on each side
  Replicate,  ///< the last element repeated: a a | a b c | c c
  Circular,   ///< periodic: b c | a b c | a b; at most n on each side
};
/// `sizes` are pairs {before, after}, from the last axis to the first, as in PyTorch; negative sizes, for Constant only, crop.
/// Throws when they are not pairs, when there are more pairs than axes, or when an axis is too short for the mode.
template <Scalar T>
Var<T> pad(const Var<T>& x, const std::vector<std::int64_t>& sizes, PadMode mode = PadMode::Constant, T value = T(0));

}  // namespace argand
