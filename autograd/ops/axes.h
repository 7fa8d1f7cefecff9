#pragma once
/// Adds and removes axes of size 1 and merges axes: reshape() under PyTorch's names. Real or complex; negative axes count from the
/// end. All throw for an axis out of range.

#include <optional>

#include "autograd/var.h"

namespace argand {

/// Inserts an axis of size 1 at position `axis`: [2, 3] -> [2, 1, 3] for axis 1 or -2.
template <Scalar T>
Var<T> unsqueeze(const Var<T>& x, int axis);
/// Removes the axis if its size is 1, otherwise returns x; without an axis argument, removes every axis of size 1.
template <Scalar T>
Var<T> squeeze(const Var<T>& x, std::optional<int> axis = {});
/// Merges the axes from `first` to `last`: [2, 3, 4] -> [2, 12] for first = 1. A scalar becomes [1].
template <Scalar T>
Var<T> flatten(const Var<T>& x, int first = 0, int last = -1);

}  // namespace argand
