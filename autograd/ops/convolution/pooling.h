#pragma once
/// One value per position of a window over the last two axes: x [..., H, W] -> [..., h, w], h = (H + 2 padding - k)/stride + 1,
/// rounded down. Composed of other ops. Throws if the window does not fit or the padding exceeds half its size.

#include <array>

#include "autograd/var.h"

namespace argand {

struct PoolingOptions {
  std::array<std::int64_t, 2> stride{0, 0};   ///< 0 means the window's size
  std::array<std::int64_t, 2> padding{0, 0};  ///< on each side: zeros for the mean, ignored by the maximum
};

/// The element with the largest modulus, including its phase; for real x the largest element. Only this element gets the gradient;
/// if several are equal, the first of them.
template <Scalar T>
Var<T> max_pool2d(const Var<T>& x, std::array<std::int64_t, 2> window, const PoolingOptions& options = {});

/// The mean, which includes the zeros of the padding, as in PyTorch.
template <Scalar T>
Var<T> avg_pool2d(const Var<T>& x, std::array<std::int64_t, 2> window, const PoolingOptions& options = {});

/// Both poolings over the last axis only: [..., n] -> [..., (n + 2 padding - k)/stride + 1]. A stride of 0 means the window's size.
template <Scalar T>
Var<T> max_pool1d(const Var<T>& x, std::int64_t window, std::int64_t stride = 0, std::int64_t padding = 0);
template <Scalar T>
Var<T> avg_pool1d(const Var<T>& x, std::int64_t window, std::int64_t stride = 0, std::int64_t padding = 0);

}  // namespace argand
