#pragma once
/// Norms of rows whose squares overflow: values near 1e200 in float64 (1e20 in float32) are normalised like any others.

#include <cmath>
#include <limits>

#include "core/scalar.h"

namespace argand {

/// The power of two by which values whose squares overflow are multiplied before squaring.
template <RealScalar R>
inline constexpr R to_square = sizeof(R) == 4 ? R(0x1p-75) : R(0x1p-540);

/// 1/sqrt(s/(n scale²) + eps), where s is the sum of the n squares of a row multiplied by `scale`, which is 1, or to_square if the
/// sum would overflow. (scale² eps underflows, so the root is taken first.)
template <RealScalar R>
R inverse_of_root(R sum_of_squares, R n, R eps, R scale) {
  if (scale == 1) return 1 / std::sqrt(sum_of_squares / n + eps);
  return scale / std::hypot(std::sqrt(sum_of_squares / n), std::sqrt(eps) * scale);
}

/// Whether the rounding error of a mean matters compared with the n deviations from it, whose squares sum to `squares`: values far
/// from 0 may differ by less than the rounding of their mean.
template <Scalar T>
bool is_significant(T error, RealOf<T> squares, std::int64_t n) {
  using R = RealOf<T>;
  constexpr R least = 16 * std::numeric_limits<R>::epsilon();
  return abs2_of(error) * static_cast<R>(n) > least * least * squares;
}

}  // namespace argand
