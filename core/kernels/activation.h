#pragma once
/// Activations of one real number and their derivatives, without branches: loops over them vectorise.

#include <cmath>
#include <numbers>

#include "core/kernels/vector_math.h"
#include "core/scalar.h"

namespace argand {

/// Φ(x) = (1 + erf(x/√2))/2.
template <RealScalar R>
R normal_cdf(R x) {
  return R(0.5) * (1 + std::erf(x * (std::numbers::sqrt2_v<R> / 2)));
}
template <RealScalar R>
R gelu_of(R x) {
  return x * normal_cdf(x);
}
/// Φ(x) + x φ(x), φ(x) = e^(-x²/2)/√(2π).
template <RealScalar R>
R gelu_derivative(R x) {
  constexpr R density = std::numbers::inv_sqrtpi_v<R> * std::numbers::sqrt2_v<R> / 2;
  return normal_cdf(x) + x * density * std::exp(R(-0.5) * x * x);
}

/// σ(x) = 1/(1 + e^-x): for x very negative e^-x is infinite and σ rightly 0.
template <RealScalar R>
R logistic(R x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace argand
