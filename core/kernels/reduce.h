#pragma once
/// Sums in a fixed order: the same bits for any number of threads.

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "core/tensor.h"

namespace argand {

/// At most this many terms are added one after the other; longer sums are split into blocks whose sums are then added. A running
/// sum of a million equal numbers in single precision is off by one per cent, and a running sum of ones stops growing at 2²⁴.
constexpr std::int64_t summed_rows = 4096;

/// Σ term(i) for i in [0, n), in sixteen interleaved lanes, then summed pairwise: sixteen short sums lose less precision than one
/// long one and can overlap. For terms made of packs, pack_sum (core/kernels/pack.h) is faster.
template <Scalar T, class F>
T lane_sum(std::int64_t n, const F& term) {
  constexpr int lanes = 16;
  T total{};
  for (std::int64_t i = 0; i < n;) {
    const std::int64_t end = std::min(n, i + lanes * summed_rows);
    T lane[lanes] = {};
    for (; i + lanes <= end; i += lanes)
      for (int l = 0; l < lanes; ++l) lane[l] += term(i + l);
    for (int l = 0; i < end; ++i, ++l) lane[l] += term(i);
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
    total += lane[0];
  }
  return total;
}

/// Σ term(i) for i in [0, n) in parallel: blocks of fixed size, whose sums are added in order.
template <Scalar T, class F>
T block_sum(std::int64_t n, const F& term) {
  const std::int64_t blocks = (n + elementwise_grain - 1) / elementwise_grain;
  if (blocks <= 1) return lane_sum<T>(n, term);
  std::vector<T> partial(static_cast<std::size_t>(blocks));
  parallel_for(blocks, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      const std::int64_t begin = b * elementwise_grain, size = std::min(elementwise_grain, n - begin);
      partial[static_cast<std::size_t>(b)] = lane_sum<T>(size, [&](std::int64_t i) { return term(begin + i); });
    }
  });
  return lane_sum<T>(blocks, [&](std::int64_t b) { return partial[static_cast<std::size_t>(b)]; });
}

/// A tensor viewed around one axis: [outer, n, inner].
struct AxisView {
  std::int64_t outer = 1, n = 1, inner = 1;
  AxisView(const Shape& shape, int axis) {
    axis = shape.checked(axis);
    for (int a = 0; a < shape.rank(); ++a) (a < axis ? outer : a == axis ? n : inner) *= shape[a];
  }
};

/// The shape after a reduction over `axis`: the axis is removed, or kept with size 1.
inline Shape reduced(Shape shape, int axis, bool keepdim) {
  keepdim ? void(shape[axis] = 1) : shape.erase(axis);
  return shape;
}

/// Rows per task when a row has `columns` elements.
inline std::int64_t row_grain(std::int64_t columns) {
  return std::max<std::int64_t>(1, elementwise_grain / std::max<std::int64_t>(1, columns));
}

}  // namespace argand
