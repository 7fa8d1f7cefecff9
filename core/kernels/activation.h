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

/// The coefficients of NormalTail's M and T.
template <class R>
inline constexpr auto normal_middle = std::to_array<R>({0.39894228040143265, -0.06649038006690387, 0.009973557009983732,
                                                        -0.001187328214811527, 0.0001154346832492605, -9.444639861853272e-06,
                                                        6.659317805752481e-07, -4.117317843452298e-08, 2.2271240384729976e-09,
                                                        -9.027164883791298e-11});
template <>
inline constexpr auto normal_middle<float> = std::to_array({0.39894228F, -0.0664903608F, 0.00997333011F, -0.00118634853F,
                                                            0.00011350748F, -7.66260867e-06F});
template <class R>
inline constexpr auto normal_far =
    std::to_array<R>({0.5317257681685272,  0.6831514945903158, -0.16324627264328273, -1.2570280701257932, 1.0235161007714866,
                      3.0242206049090408,  -7.394047151993346, -1.2194802207520368,  35.415216503736076,  -64.82113243286874,
                      -41.32726666145581,  456.40084009823966, -931.7379761923131,   -228.04914056905662, 6511.321847604664,
                      -18125.724419822043, 14184.665201607519, 81409.9030679272,     -426336.8149834892,  848286.2499673765,
                      1416980.187018907,   -11188918.47176942, 11584832.906819142,   40572495.4867022,    -80372031.91608232});
template <>
inline constexpr auto normal_far<float> = std::to_array({0.531725767F, 0.683151496F, -0.163244648F, -1.2570313F, 1.02294224F,
                                                         3.02591371F, -7.32301538F, -1.51378745F, 31.9619422F, -45.0674879F});

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

/// Φ(-a), a = |x|, and what depends on it, from one exponential e = e^(-a²/2):
///   a <= 1: Φ(-a) = 1/2 - a M(a²)
///   a > 1:  Φ(-a) = e Q(a), Q(a) = r T(r - 1/5), r = 1/(a + 3/2); e is the last factor, as it may be subnormal
/// The polynomials M and T agree with these functions at Chebyshev points, with relative errors below 2e-9 (double: 3e-17). Where
/// they meet, and the shift of 3/2, were chosen so that rounding r changes Q by little more. Against libmvec's erfc and a second
/// exponential, gelu_and_slope takes 0.65 to 0.9 of the time for floats; for doubles 0.9 with AVX-512, 1.15 with AVX2 and 1.35 with
/// SSE2 (Sapphire Rapids), with errors of 4 instead of 25 ulp.
template <class X>
class NormalTail {
 public:
  using R = LaneOf<X>;
  explicit NormalTail(X x) : a_(detail::clamped_for_normal(x)), e_(exp_of_minus_square(a_, R(0.5))) {
    const X r = X(1) / (a_ + X(1.5));
    near_ = multiply_add(-a_, polynomial(detail::normal_middle<R>, a_ * a_), X(0.5));
    far_ = r * polynomial(detail::normal_far<R>, r - X(R(0.2)));
  }
  /// Φ(-a)
  X value() const { return math::select(a_ <= X(1), near_, e_ * far_); }
  /// a Φ(-a)
  X times_a() const { return math::select(a_ <= X(1), a_ * near_, e_ * (a_ * far_)); }
  /// a φ(a)
  X bend() const { return X(peak) * a_ * e_; }
  /// Φ(-a) - a φ(a); loses digits near its zero, a = 0.75, and, as its factor is up to 15, where e is subnormal.
  X minus_bend() const {
    const X height = X(peak) * a_;
    return math::select(a_ <= X(1), multiply_add(-height, e_, near_), e_ * (far_ - height));
  }

 private:
  static constexpr R peak = std::numbers::inv_sqrtpi_v<R> * std::numbers::sqrt2_v<R> / 2;  // φ(0)
  template <std::size_t n>
  static X polynomial(const std::array<R, n>& c, X u) {
    X sum(c[n - 1]);
    for (std::size_t k = n - 1; k-- > 0;) sum = multiply_add(sum, u, X(c[k]));
    return sum;
  }
  X a_, e_, near_, far_;
};

/// x Φ(x); -0 at -∞.
template <class X>
X gelu_of(X x) {
  const NormalTail<X> tail(x);
  return math::select(x < X(0), -tail.times_a(), x * (X(1) - tail.value()));
}
/// x Φ(x) and its derivative Φ(x) + x φ(x).
template <class X>
std::pair<X, X> gelu_and_slope(X x) {
  const NormalTail<X> tail(x);
  const X d = detail::distance(detail::gelu_slope_at_zero, x), left = tail.minus_bend();
  return {math::select(x < X(0), -tail.times_a(), x * (X(1) - tail.value())),
          math::select(math::abs(d) < X(0.25), detail::value(detail::gelu_slope_at_zero, d),
                       math::select(x < X(0), left, X(1) - left))};
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
