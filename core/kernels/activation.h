#pragma once
/// Activations of one real number and their derivatives, accurate to a few ulp everywhere (docs/accuracy.md). Each formula works
/// for a real and for a pack of reals: X is float, double or a Pack of them, and math::select replaces conditions.

#include <array>
#include <numbers>
#include <utility>

#include "core/kernels/compensated.h"
#include "core/kernels/vector_math.h"

namespace argand {

namespace detail {

/// |x|, clamped to where e^(-x²/2) becomes 0 in the type, since infinity times that 0 would be NaN. NaN stays NaN.
template <class X>
X clamped_for_normal(X x) {
  const X a = math::abs(x), most(sizeof(LaneOf<X>) == 4 ? 15 : 39);
  return math::select(a > most, most, a);
}
/// |x|, clamped for use in x e^-|x| to the point where e^(-|x|/2) is about to become subnormal.
template <class X>
inline constexpr LaneOf<X> most_for_exp = sizeof(LaneOf<X>) == 4 ? 170 : 1400;
template <class X>
X clamped_for_exp(X x) {
  const X a = math::abs(x), most(most_for_exp<X>);
  return math::select(a > most, most, a);
}

/// A function near a simple zero: f(zero + d) = d (c_0 + c_1 d + ...). Its usual formula subtracts nearly equal numbers there,
/// leaving only their rounding errors.
template <int n>
struct SeriesAtZero {
  double zero, zero_low;  ///< the zero is their sum
  std::array<double, n> c;
};
/// x - zero, accurate to all digits, however close x is to the zero.
template <class X, int n>
X distance(const SeriesAtZero<n>& s, X x) {
  using R = LaneOf<X>;
  const R high = static_cast<R>(s.zero), low = static_cast<R>((s.zero - static_cast<double>(high)) + s.zero_low);
  return (x - X(high)) - X(low);
}
/// f for |d| < 1/4; float needs only half the terms.
template <class X, int n>
X value(const SeriesAtZero<n>& s, X d) {
  using R = LaneOf<X>;
  constexpr int terms = sizeof(R) == 4 ? n / 2 : n;
  X sum(static_cast<R>(s.c[terms - 1]));
  for (int k = terms - 2; k >= 0; --k) sum = sum * d + X(static_cast<R>(s.c[static_cast<std::size_t>(k)]));
  return sum * d;
}

/// gelu' = 0 at -0.75179...: gelu'' = (2 - x²) φ; the Taylor series of φ follows from φ' = -x φ.
inline constexpr auto gelu_slope_at_zero = [] {
  constexpr int n = 16;
  constexpr long double zero = -0.75179152469356445746L, density = 0.30073259989697529074L;  // φ(zero)
  SeriesAtZero<n> s{-0.7517915246935645, 1.4956759177009883e-17, {}};
  long double p = density, p1 = 0, p2 = 0;  // coefficients k, k - 1 and k - 2 of φ
  for (int k = 0; k < n; ++k) {
    s.c[static_cast<std::size_t>(k)] = static_cast<double>(((2 - zero * zero) * p - 2 * zero * p1 - p2) / (k + 1));
    const long double next = -(zero * p + p1) / (k + 1);
    p2 = p1, p1 = p, p = next;
  }
  return s;
}();

/// silu' = 0 at -1.27846..., where 1 + x (1 - σ) = 0 and so σ = 1 + 1/x. The Taylor series of σ follows from σ' = σ - σ².
inline constexpr auto silu_slope_at_zero = [] {
  constexpr int n = 16;
  constexpr long double zero = -1.27846454276107379511L;
  SeriesAtZero<n> s{-1.2784645427610737, -1.0946994183093437e-16, {}};
  std::array<long double, n + 2> sigma{1 + 1 / zero};
  for (std::size_t k = 0; k <= n; ++k) {
    long double square = 0;
    for (std::size_t j = 0; j <= k; ++j) square += sigma[j] * sigma[k - j];
    sigma[k + 1] = (sigma[k] - square) / static_cast<long double>(k + 1);
  }
  for (std::size_t k = 0; k < n; ++k)  // coefficient k + 2 of x σ, differentiated once
    s.c[k] = static_cast<double>(static_cast<long double>(k + 2) * (zero * sigma[k + 2] + sigma[k + 1]));
  return s;
}();

}  // namespace detail

/// e^(-s x²), s = 1 or 1/2, for |x| < 100. Rounding x² by half an ulp would by itself change the result by s x² half ulps; so x² =
/// v + e exactly, and e^(-sv - se) = e^(-sv) (1 - se).
template <class X>
X exp_of_minus_square(X x, LaneOf<X> s = 1) {
  const WithError<X> square = exact_product(x, x);
  return math::exp(-(X(s) * square.value)) * (X(1) - X(s) * square.error);
}

/// erf'(x) = 2/√π e^(-x²).
template <class X>
X erf_derivative(X x) {
  return X(2 * std::numbers::inv_sqrtpi_v<LaneOf<X>>) * exp_of_minus_square(detail::clamped_for_normal(x));
}

/// φ(x) = e^(-x²/2)/√(2π).
template <class X>
X normal_density(X x) {
  using R = LaneOf<X>;
  constexpr R factor = std::numbers::inv_sqrtpi_v<R> * std::numbers::sqrt2_v<R> / 2;
  return X(factor) * exp_of_minus_square(detail::clamped_for_normal(x), R(0.5));
}

/// |x| φ(x), 0 at infinity.
template <class X>
X abs_times_density(X x) {
  return detail::clamped_for_normal(x) * normal_density(x);
}

/// Φ(-a) = erfc(a/√2)/2 for a clamped a >= 0; 1 + erf would cancel. a/√2 = t + d with the rounding error d, and erfc(t + d) =
/// erfc(t) (1 - d (t + √(t² + 4/π))): t + √(t² + 4/π) is a bound on -erfc'/erfc (Abramowitz and Stegun, 7.1.13), close enough to
/// replace it where d matters, at large t.
template <class X>
X normal_tail(X a) {
  using R = LaneOf<X>;
  constexpr double half_root = 0.7071067811865476, rest = -4.833646656726457e-17;  // 1/√2 is their sum
  constexpr R high = static_cast<R>(half_root), low = static_cast<R>((half_root - static_cast<double>(high)) + rest);
  const WithError<X> t = exact_product(a, X(high));
  const X d = t.error + a * X(low), slope = t.value + math::sqrt(t.value * t.value + X(4 / std::numbers::pi_v<R>));
  return X(0.5) * math::erfc(t.value) * (X(1) - d * slope);
}

/// Φ(x), the distribution function of the standard normal distribution.
template <class X>
X normal_cdf(X x) {
  const X tail = normal_tail(detail::clamped_for_normal(x));
  return math::select(x < X(0), tail, X(1) - tail);
}

/// x Φ(x); -0 at -∞.
template <class X>
X gelu_of(X x) {
  const X a = detail::clamped_for_normal(x), tail = normal_tail(a);
  return math::select(x < X(0), -a * tail, x * (X(1) - tail));
}
/// x Φ(x) and its derivative Φ(x) + x φ(x) from one erfc, which is most of the work.
template <class X>
std::pair<X, X> gelu_and_slope(X x) {
  const X a = detail::clamped_for_normal(x), tail = normal_tail(a), bend = abs_times_density(a);
  const X d = detail::distance(detail::gelu_slope_at_zero, x);
  const X far = math::select(x < X(0), tail - bend, (X(1) - tail) + bend);
  return {math::select(x < X(0), -a * tail, x * (X(1) - tail)),
          math::select(math::abs(d) < X(0.25), detail::value(detail::gelu_slope_at_zero, d), far)};
}

/// σ(x) = 1/(1 + e^-x), from e = e^-|x|, which does not overflow: 1/(1 + e) for x >= 0, e/(1 + e) for x < 0.
template <class X>
X logistic(X x) {
  const X e = math::exp(-math::abs(x));
  return math::select(x < X(0), e, X(1)) / (X(1) + e);
}
/// σ'(x) = σ(x) σ(-x) = e/(1 + e)², e = e^-|x|, for either sign. (1 - σ would cancel for x > 0.)
template <class X>
X logistic_derivative(X x) {
  const X e = math::exp(-math::abs(x)), r = X(1) / (X(1) + e);
  return e * r * r;
}
template <class X>
X tanh_of(X x) {
  return math::tanh(x);
}
/// tanh'(x) = 1/cosh² x = 4e/(1 + e)², e = e^(-2|x|). (1 - tanh² would cancel.)
template <class X>
X tanh_derivative(X x) {
  return X(4) * logistic_derivative(X(2) * x);
}

/// u x σ(x); 0 at -∞. For very negative x it is u x e^x, which becomes subnormal later than e^x does; so h = e^(-|x|/2) is applied
/// twice.
template <class X>
X silu_of(X x, X u = X(1)) {
  const X a = detail::clamped_for_exp(x), h = math::exp(X(-0.5) * a), r = X(1) / (X(1) + h * h);
  const X left = math::select(x < -X(detail::most_for_exp<X>), X(0), -a * h * r * u * h);
  return math::select(x < X(0), left, x * r * u);
}
/// u σ (1 + x (1 - σ)). With r = 1/(1 + e): r (1 + x e r) for x >= 0, e r (1 - |x| r) for x < 0.
template <class X>
X silu_derivative(X x, X u = X(1)) {
  const X a = detail::clamped_for_exp(x), h = math::exp(X(-0.5) * a), e = h * h, r = X(1) / (X(1) + e);
  const X d = detail::distance(detail::silu_slope_at_zero, x);
  const X left = math::select(x < -X(detail::most_for_exp<X>), X(0), (X(1) - a * r) * r * h * u * h);
  const X far = math::select(x < X(0), left, r * (X(1) + a * e * r) * u);
  return math::select(math::abs(d) < X(0.25), detail::value(detail::silu_slope_at_zero, d) * u, far);
}

}  // namespace argand
