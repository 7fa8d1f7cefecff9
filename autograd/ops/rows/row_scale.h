#pragma once
/// How norms measure rows whose squares overflow: a norm of 1e200 in float64 (1e20 in float32) is as good as any other.

#include <cmath>
#include <limits>

#include "core/scalar.h"

namespace argand {

/// A power of two: what numbers whose squares overflow are multiplied by before they are squared.
template <RealScalar R>
inline constexpr R to_square = sizeof(R) == 4 ? R(0x1p-75) : R(0x1p-540);

/// 1/sqrt(s/(n scale²) + eps), s the sum of the n squares of a row that was multiplied by `scale`: 1, or to_square where the sum
/// is infinite otherwise. (scale² eps underflows, so the root is taken first.)
template <RealScalar R>
R inverse_of_root(R sum_of_squares, R n, R eps, R scale) {
  if (scale == 1) return 1 / std::sqrt(sum_of_squares / n + eps);
  return scale / std::hypot(std::sqrt(sum_of_squares / n), std::sqrt(eps) * scale);
}

/// Whether the rounding error of a mean matters beside the deviations from it, n numbers whose squares sum to `squares`: where the
/// numbers are far from 0, their mean may be rounded by more than they differ.
template <Scalar T>
bool is_felt(T error, RealOf<T> squares, std::int64_t n) {
  using R = RealOf<T>;
  constexpr R least = 16 * std::numeric_limits<R>::epsilon();
  return abs2_of(error) * static_cast<R>(n) > least * least * squares;
}

}  // namespace argand
