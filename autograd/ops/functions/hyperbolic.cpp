#include "autograd/ops/functions/hyperbolic.h"

#include <cmath>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "core/kernels/complex_math.h"

namespace argand {

// ------------------------------------------------------------------------------------------------ tan

static const Op tan_op(
    {.name = "tan",
     .kind = Kind::Holomorphic,
     .equation = "w = tan z = sin z / cos z = -i tanh(iz)",
     .dz = "1/cos² z = 1 + w²",
     .dzbar = "0",
     .vjp = "dz = dw / conj(cos² z)",
     .jvp = "ẇ = 4 σ(2iz) σ(-2iz) ż; (1 + w²) ẋ for a real x",
     .derivation =
         "(sin/cos)' = (cos² + sin²)/cos² = 1/cos². For complex z, tan is tanh rotated by a quarter turn: tan' z = tanh'(iz), "
         "whose formulas neither overflow for large |Im z| nor cancel. (1 + w² would cancel where w is close to ±i.)",
     .singular = "poles at z = π(k + 1/2), which no floating-point number hits. No overflow for large |Im z|: w tends to ±i",
     .source = "Ahlfors, Complex Analysis, 2.3.2"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return tan(z); };
      // The poles lie at ±1.57.
      check.function("real", f, check.real({3, 4}, -1.2, 1.2));
      check.function("complex", f, map([](std::complex<double> z) { return 0.5 * z; }, check.complex({3, 4})));
      check.finite("large, complex", f,
                   Tensor<std::complex<double>>({4}, {{1, 1e30}, {1e30, -1e30}, {-2, 100}, {1.5707963, -100}}));
    });

template <Scalar T>
Var<T> tan(const Var<T>& z) {
  using R = RealOf<T>;
  if constexpr (RealScalar<T>) {
    const Tensor<T> w = map_accurately(Tan(), z.value());
    return record(
        tan_op, w,
        [w, dz = accumulator(z)](const Tensor<T>& dw) {
          accumulate_map(
              dz, [](auto v, auto g) { return (R(1) + v * v) * g; }, w, dw);
        },
        [&](const Var<T>& w) { return (R(1) + square(w)) * tangent(z); }, z);
  } else {
    const auto turned = [](T v) { return T(-v.imag(), v.real()); };
    return record(
        tan_op, map([turned](T v) { return -turned(tanh_of(turned(v))); }, z.value()),
        [turned, x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
          accumulate_map(
              dz, [turned](T v, T g) { return conj_mul(tanh_derivative(turned(v)), g); }, x, dw);
        },
        [&](const auto&) {
          const Var<T> twice = T(0, 2) * z;
          return R(4) * sigmoid(twice) * sigmoid(-twice) * tangent(z);
        },
        z);
  }
}

// ------------------------------------------------------------------------------------------------ sinh

static const Op sinh_op({.name = "sinh",
                         .kind = Kind::Holomorphic,
                         .equation = "w = sinh z = sinh x cos y + i cosh x sin y",
                         .dz = "cosh z",
                         .dzbar = "0",
                         .vjp = "dz = conj(cosh z) dw",
                         .jvp = "ẇ = cosh z ż",
                         .derivation = "sinh z = (e^z - e^-z)/2; differentiating term by term gives (e^z + e^-z)/2.",
                         .singular = "none; overflows to infinity where e^|Re z| does",
                         .source = "Ahlfors, Complex Analysis, 2.3.2"},
                        [](OpCheck& check) {
                          const auto f = [](auto z) { return sinh(z); };
                          check.function("real", f, check.real({3, 4}));
                          check.function("complex", f, check.complex({3, 4}));
                        });

template <Scalar T>
Var<T> sinh(const Var<T>& z) {
  return record(
      sinh_op, map_accurately(Sinh(), z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_accurately(
            dz, [](auto v, auto g) -> decltype(conj_mul(Cosh()(v), g)) { return conj_mul(Cosh()(v), g); }, x, dw);
      },
      [&](const auto&) { return cosh(z) * tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ cosh

static const Op cosh_op({.name = "cosh",
                         .kind = Kind::Holomorphic,
                         .equation = "w = cosh z = cosh x cos y + i sinh x sin y",
                         .dz = "sinh z",
                         .dzbar = "0",
                         .vjp = "dz = conj(sinh z) dw",
                         .jvp = "ẇ = sinh z ż",
                         .derivation = "cosh z = (e^z + e^-z)/2; differentiating term by term gives (e^z - e^-z)/2.",
                         .singular = "none; overflows to infinity where e^|Re z| does",
                         .source = "Ahlfors, Complex Analysis, 2.3.2"},
                        [](OpCheck& check) {
                          const auto f = [](auto z) { return cosh(z); };
                          check.function("real", f, check.real({3, 4}));
                          check.function("complex", f, check.complex({3, 4}));
                        });

template <Scalar T>
Var<T> cosh(const Var<T>& z) {
  return record(
      cosh_op, map_accurately(Cosh(), z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_accurately(
            dz, [](auto v, auto g) -> decltype(conj_mul(Sinh()(v), g)) { return conj_mul(Sinh()(v), g); }, x, dw);
      },
      [&](const auto&) { return sinh(z) * tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ sinc

namespace {

/// sin πz and cos πz, both divided by e^growth.
template <class C>
struct SinCosPi {
  C sine, cosine;
  double growth = 0;
};

/// Uses the distance from the nearest multiple of 1/2, which is exact: sin πx is 0 at integers, cos πx halfway between them.
SinCosPi<double> sincospi(double x) {
  const double turned = std::remainder(x, 2), quarter = std::round(2 * turned), t = std::numbers::pi * (turned - quarter / 2);
  const double s = std::sin(t), c = std::cos(t);
  if (std::isnan(quarter)) return {s, c};  // NaN for NaN and ±inf, which do not fit an int
  switch (static_cast<int>(quarter) & 3) {
    case 0: return {s, c};
    case 1: return {c, -s};
    case 2: return {-s, -c};
    default: return {-c, s};
  }
}

SinCosPi<std::complex<double>> sincospi(std::complex<double> z) {
  // The relative error of e^b, b = πy, is the absolute rounding error of b, which `low` holds.
  constexpr double pi = std::numbers::pi, pi_low = 1.2246467991473532e-16;
  const double y = std::abs(z.imag()), b = pi * y, low = std::fma(pi, y, -b) + pi_low * y;
  const auto [s, c, none] = sincospi(z.real());
  const bool far = b > 20;  // where cosh b = sinh b = e^b/2
  const double ch = far ? (1 + low) / 2 : std::cosh(b) + low * std::sinh(b);
  const double sh = std::copysign(far ? ch : std::sinh(b) + low * std::cosh(b), z.imag());
  return {{s * ch, c * sh}, {c * ch, -s * sh}, far ? b : 0};
}

/// The n-th derivative s_n of sinc at z. z s_n + n s_{n-1} is the n-th derivative of sin(πz)/π. Near 0, where this recurrence
/// divides by z repeatedly, the series s_n = Σ_k (-1)^k π^{2k} z^{2k-n}/((2k + 1) (2k - n)!), k >= n/2, is used.
template <Scalar T>
T sinc_derivative(T z, int n) {
  using R = RealOf<T>;
  using C = std::conditional_t<ComplexScalar<T>, std::complex<double>, double>;  // the sums cancel slightly
  constexpr double pi = std::numbers::pi;
  const C v(z);
  if (std::abs(v) * pi < 2.0 + n) {
    const int first = (n + 1) / 2, over = 2 * first - n;  // over: 0 or 1
    double c = (first % 2 == 0 ? 1 : -1) * std::pow(pi, 2 * first);
    C power = over == 1 ? v : C(1), total = 0;
    for (int k = first; k < first + 60; ++k) {
      const C term = power * (c / (2 * k + 1));
      total += term;
      if (std::abs(term) < 1e-18 * std::abs(total)) break;
      const int m = 2 * k - n;
      c *= -pi * pi / ((m + 1.0) * (m + 2.0));
      power *= v * v;
    }
    return T(static_cast<std::conditional_t<ComplexScalar<T>, std::complex<R>, R>>(total));
  }
  if (std::isinf(std::real(v)) && std::isfinite(std::imag(v))) return T(0);
  if constexpr (ComplexScalar<T>)  // an infinite value whose direction is undetermined
    if (std::isinf(v.imag())) return T(std::numeric_limits<R>::infinity(), std::numeric_limits<R>::quiet_NaN());
  const auto [sine, cosine, growth] = sincospi(v);
  C s = sine / (pi * v);
  double scale = 1 / pi;
  for (int k = 1; k <= n; ++k) {
    scale *= pi;
    const C turned = k % 4 == 0 ? sine : k % 4 == 1 ? cosine : k % 4 == 2 ? -sine : -cosine;
    s = (scale * turned - double(k) * s) / v;
  }
  // Multiplies in steps, because the product may be finite even if e^growth overflows. Four steps suffice: if growth is larger, the
  // product is infinite anyway.
  for (double left = std::min(growth, 2800.0); left > 0; left -= 700) s *= std::exp(std::min(left, 700.0));
  return static_cast<T>(s);
}

}  // namespace

static const Op sinc_op(
    {.name = "sinc",
     .kind = Kind::Holomorphic,
     .equation = "w = sin(πz)/(πz), 1 at z = 0",
     .dz = "(cos πz - w)/z, 0 at z = 0",
     .dzbar = "0",
     .vjp = "dz = conj(sinc' z) dw",
     .jvp = "ẇ = sinc' z ż",
     .derivation =
         "z w = sin(πz)/π gives w + z w' = cos πz, and after n differentiations z w⁽ⁿ⁾ + n w⁽ⁿ⁻¹⁾ = (sin(πz)/π)⁽ⁿ⁾. Near 0 the "
         "power series, differentiated term by term, is used: sinc is entire. The op is w⁽ⁿ⁾, so its tangent is the op with n + 1.",
     .singular = "none: at z = 0 the value is 1, the first derivative 0, the second -π²/3",
     .source = "NIST Digital Library of Mathematical Functions, 3.3.43"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return sinc(z); };
      check.function("real", f, check.real({3, 4}));
      check.function("complex", f, check.complex({3, 4}));
      check.function("around 0", f, Tensor<double>({4}, {1e-3, -1e-5, 0.4, -0.7}));
      check.function("around 0, complex", f, Tensor<std::complex<double>>({2}, {{1e-4, 1e-3}, {0.5, -0.3}}));
      check.singular("0, a maximum", f, Tensor<double>::zeros({1}), Tensor<double>::zeros({1}));
    });

namespace {
template <Scalar T>
Var<T> sinc_of_order(const Var<T>& z, int n) {
  return record(
      sinc_op, map([n](T v) { return sinc_derivative(v, n); }, z.value()),
      [n, x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [n](T v, T g) { return conj_mul(sinc_derivative(v, n + 1), g); }, x, dw);
      },
      [&](const auto&) { return sinc_of_order(z, n + 1) * tangent(z); }, z);
}
}  // namespace

template <Scalar T>
Var<T> sinc(const Var<T>& z) {
  return sinc_of_order(z, 0);
}

#define ARGAND_HYPERBOLIC(T)           \
  template Var<T> tan(const Var<T>&);  \
  template Var<T> sinh(const Var<T>&); \
  template Var<T> cosh(const Var<T>&); \
  template Var<T> sinc(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_HYPERBOLIC)

}  // namespace argand
