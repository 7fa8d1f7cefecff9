#pragma once
/// Axes of size 1 added and dropped, and axes joined: reshape() under PyTorch's names. Real or complex; negative axes count from
/// the end. All throw for an axis out of range.

#include <optional>

#include "autograd/var.h"

namespace argand {

/// A new axis of size 1 in the place of `axis`: [2, 3] -> [2, 1, 3] for axis 1 or -2.
template <Scalar T>
Var<T> unsqueeze(const Var<T>& x, int axis);
/// Without the axis if its size is 1, otherwise x; without every axis of size 1 if none is named.
template <Scalar T>
Var<T> squeeze(const Var<T>& x, std::optional<int> axis = {});
/// The axes from `first` to `last` joined: [2, 3, 4] -> [2, 12] for first = 1. A number becomes [1].
template <Scalar T>
Var<T> flatten(const Var<T>& x, int first = 0, int last = -1);

}  // namespace argand
