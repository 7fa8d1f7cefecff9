#pragma once
/// Shared by eigh and svd. Their vectors are determined up to a gauge: a phase for each, and any rotation among those of equal
/// values. A loss must not depend on the gauge; elements of VᴴdV, its derivatives along the gauge, show this to first order.

#include <cmath>
#include <limits>

#include "autograd/ops/elementwise/arithmetic.h"

namespace argand::matrices {

/// The size up to which an element of VᴴdV [n, n] counts as rounding error.
template <RealScalar R>
R rounding_of(R largest, std::int64_t n) {
  return 100 * std::sqrt(R(n)) * std::numeric_limits<R>::epsilon() * largest;
}
/// The distance up to which two values of an [n, n] matrix may differ by rounding alone.
template <RealScalar R>
R closest_of(R largest, std::int64_t n) {
  return R(n) * std::numeric_limits<R>::epsilon() * largest;
}

/// The distance below which the derivative of two values' vectors, which divides by it, has at most two correct digits.
template <RealScalar R>
R too_close_of(R largest, std::int64_t n) {
  return std::max(R(100), R(n)) * std::numeric_limits<R>::epsilon() * largest;
}

/// 1/Δ, or the Lorentzian Δ/(Δ² + ε²) with a broadening ε > 0. Without one, 0 if Δ may differ from 0 by rounding alone.
template <RealScalar R>
R inverse_of(R gap, R closest, double broadening) {
  if (broadening > 0) return gap / (gap * gap + static_cast<R>(broadening * broadening));
  return std::abs(gap) > closest ? 1 / gap : R(0);
}
/// The same for variables. `zero` is 1 where Δ is 0 by construction and nothing depends on it, 0 elsewhere.
template <RealScalar R>
Var<R> inverse_of(const Var<R>& gap, const Var<R>& zero, double broadening) {
  if (broadening > 0) return gap / (gap * gap + static_cast<R>(broadening * broadening));
  return (R(1) - zero) / (gap + zero);
}

inline void check_broadening(std::string_view op, double broadening) {
  require(broadening >= 0, op, "broadening, the width of a Lorentzian, must be at least 0, got {}", broadening);
}

}  // namespace argand::matrices
