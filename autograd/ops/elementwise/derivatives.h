#pragma once
/// Derivatives that the tangents of several ops share, written as expressions of ops so that they can be differentiated again.

#include <limits>
#include <numbers>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/elementwise/trigonometric.h"
#include "core/kernels/activation.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/elementwise.h"

namespace argand {

/// For formulas with a pole at z = 0: mask · f(value) is f(z), but 0 with gradient 0 at z = 0, where `value` is 1 and `mask` is 0,
/// because 0 · f(0) would be NaN. With `least`, the same holds wherever both parts of z are smaller than `least`.
template <Scalar T>
struct AwayFromZero {
  using R = RealOf<T>;
  Var<R> mask;
  Var<T> value;
  explicit AwayFromZero(const Var<T>& z, R least = std::numeric_limits<R>::denorm_min())
      : mask(map_packs([least](auto v) { return math::select(size(v) < Pack<R>(least), Pack<R>(0), Pack<R>(1)); }, z.value())),
        value(z + (R(1) - mask)) {}

 private:
  static Pack<R> size(Pack<R> x) { return math::abs(x); }
  static Pack<R> size(ComplexPack<R> x) { return math::max(math::abs(x.re), math::abs(x.im)); }
};

/// g/conj(b), 0 where b = 0.
struct QuotientOrZero {
  template <Scalar G, Scalar B>
  G operator()(G g, B b) const {
    return b == B(0) ? G(0) : divide(g, conj_of(b));
  }
  template <RealScalar R>
  Pack<R> operator()(Pack<R> g, Pack<R> b) const {
    return math::select(b == Pack<R>(0), Pack<R>(0), g / b);
  }
};

/// The tangent of arg z, Im(conj(u) ż)/|z| with u = z/|z|; 0 where z is zero or subnormal, like the gradient.
template <RealScalar R>
Var<R> tangent_of_angle(const Var<std::complex<R>>& z, const Var<std::complex<R>>& u, const Var<std::complex<R>>& dot) {
  const AwayFromZero<R> modulus(real(conj(u) * z), std::numeric_limits<R>::min());
  return modulus.mask * imag(conj(u) * dot) / modulus.value;
}

/// gelu of every element and, if a gradient is needed, its slope, from the same exponential.
template <RealScalar R>
ValueAndSlope<R> gelu_with_slope(const Tensor<R>& x, bool with_slope) {
  if (with_slope) return map_with_slope([](auto v) { return gelu_and_slope(v); }, x);
  return {map_packs([](auto v) { return gelu_of(v); }, x), Tensor<R>()};
}

/// gelu'(x) = Φ(x) + x φ(x).
template <RealScalar R>
Var<R> slope_of_gelu(const Var<R>& x) {
  constexpr R half_root = std::numbers::sqrt2_v<R> / 2, height = std::numbers::inv_sqrtpi_v<R> * half_root;
  return R(0.5) * (R(1) + erf(half_root * x)) + height * (x * exp(R(-0.5) * square(x)));
}

/// silu'(x) = σ (1 + x (1 - σ)), with 1 - σ(x) = σ(-x).
template <RealScalar R>
Var<R> slope_of_silu(const Var<R>& x) {
  return sigmoid(x) * (R(1) + x * sigmoid(-x));
}

}  // namespace argand
