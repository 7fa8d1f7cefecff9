#include "autograd/ops/functions/special.h"

#include <math.h>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <cmath>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"

namespace argand {

// ------------------------------------------------------------------------------------------------ erfc

static const Op erfc_op({.name = "erfc",
                         .kind = Kind::Real,
                         .equation = "w = erfc x = 1 - erf x = 2/√π ∫_x^∞ e^(-t²) dt",
                         .dz = "-2/√π e^(-x²)",
                         .dzbar = "no complex input",
                         .vjp = "dx = -2/√π e^(-x²) dw",
                         .jvp = "ẇ = -2/√π e^(-x²) ẋ",
                         .derivation = "Fundamental theorem of calculus.",
                         .singular = "none",
                         .source = "Abramowitz and Stegun, 7.1.2"},
                        [](OpCheck& check) {
                          const auto f = [](auto x) { return erfc(x); };
                          check.function("real", f, check.real({3, 4}));
                          check.finite("large", f, Tensor<double>({2}, {1e30, -1e30}));
                        });

template <RealScalar R>
Var<R> erfc(const Var<R>& x) {
  return record(
      erfc_op, map_packs([](auto v) { return math::erfc(v); }, x.value()),
      [x = x.value(), dx = accumulator(x)](const Tensor<R>& dw) {
        accumulate_map(
            dx, [](auto v, auto g) { return -erf_derivative(v) * g; }, x, dw);
      },
      [&](const auto&) { return R(-2 * std::numbers::inv_sqrtpi_v<R>) * exp(-square(x)) * tangent(x); }, x);
}

// ------------------------------------------------------------------------------------------------ erfinv

namespace {

/// erf⁻¹ from Boost.Math; infinite at ±1 and NaN beyond.
template <class W>
W erfinv_of(W x) {
  using namespace boost::math::policies;
  using IgnoreErrors = policy<domain_error<ignore_error>, overflow_error<ignore_error>, evaluation_error<ignore_error>>;
  if (!(std::abs(x) < 1))
    return std::abs(x) == 1 ? std::copysign(std::numeric_limits<W>::infinity(), x) : std::numeric_limits<W>::quiet_NaN();
  return boost::math::erf_inv(x, IgnoreErrors());
}
/// √π/2 e^{w²}, 0 at ±1. Computed in the next larger type, because a relative error in w is 2w² times as large in the slope.
template <RealScalar R>
R erfinv_slope(R x) {
  using W = std::conditional_t<std::same_as<R, float>, double, long double>;
  if (std::abs(x) == 1) return 0;
  const W w = erfinv_of(static_cast<W>(x));
  return static_cast<R>(std::exp(w * w) / (2 * std::numbers::inv_sqrtpi_v<W>));
}

}  // namespace

static const Op erfinv_op({.name = "erfinv",
                           .kind = Kind::Real,
                           .equation = "w = erf⁻¹(x), the w with erf w = x",
                           .dz = "√π/2 e^(w²)",
                           .dzbar = "no complex input",
                           .vjp = "dx = √π/2 e^(w²) dw",
                           .jvp = "ẇ = √π/2 e^(w²) ẋ",
                           .derivation = "erf w = x gives 2/√π e^(-w²) w' = 1.",
                           .singular = "x = ±1: the value is ±inf, the gradient 0. |x| > 1, including ±inf: NaN",
                           .source = "Abramowitz and Stegun, 7.1.2; NIST Digital Library of Mathematical Functions, 7.17"},
                          [](OpCheck& check) {
                            const auto f = [](auto x) { return erfinv(x); };
                            check.function("real", f, check.real({3, 4}, -0.95, 0.95));
                            check.function("around 0", f, Tensor<double>({2}, {1e-6, -1e-9}));
                            check.finite("next to 1", f, Tensor<double>({2}, {1 - 0x1p-23, -1 + 0x1p-23}));
                          });

template <RealScalar R>
Var<R> erfinv(const Var<R>& x) {
  return record(
      erfinv_op, map([](R v) { return erfinv_of(v); }, x.value()),
      [x = x.value(), dx = accumulator(x)](const Tensor<R>& dw) {
        accumulate_map(
            dx, [](R v, R g) { return erfinv_slope(v) * g; }, x, dw);
      },
      [&](const auto&) {
        const Var<R> mask(map([](R v) { return R(std::abs(v) == 1 ? 0 : 1); }, x.value()));
        return R(1 / (2 * std::numbers::inv_sqrtpi_v<R>)) * exp(square(erfinv(mask * x))) * mask * tangent(x);
      },
      x);
}

// ------------------------------------------------------------------------------------------------ polygamma, digamma

namespace {

/// Γ has poles at 0, -1, -2, ...
template <RealScalar R>
bool is_pole(R x) {
  return x <= 0 && std::floor(x) == x;
}

/// ψ⁽ⁿ⁾(x) from Boost.Math, which returns infinities and NaN instead of throwing.
template <RealScalar R>
R polygamma_of(int n, R x) {
  using namespace boost::math::policies;
  using IgnoreErrors =
      policy<domain_error<ignore_error>, pole_error<ignore_error>, overflow_error<ignore_error>, evaluation_error<ignore_error>>;
  if (std::isnan(x)) return x;
  if (is_pole(x)) return std::numeric_limits<R>::quiet_NaN();
  if (std::isinf(x)) return n == 0 ? x : R(0);
  const double v = static_cast<double>(x);  // Boost.Math's float version overflows internally
  return static_cast<R>(n == 0 ? boost::math::digamma(v, IgnoreErrors()) : boost::math::polygamma(n, v, IgnoreErrors()));
}

/// The slope, set to 0 at a pole, where there is no gradient.
template <RealScalar R>
R polygamma_slope(int n, R x) {
  return is_pole(x) ? R(0) : polygamma_of(n + 1, x);
}

/// A mask that is 1 where Γ is finite and 0 at its poles, and x moved away from the poles; for tangents.
template <RealScalar R>
std::pair<Var<R>, Var<R>> away_from_poles(const Var<R>& x) {
  const Var<R> mask(map([](R v) { return is_pole(v) ? R(0) : R(1); }, x.value()));
  return {mask, mask * x + (R(1) - mask)};
}

}  // namespace

static const Op polygamma_op({.name = "polygamma",
                              .kind = Kind::Real,
                              .equation = "w = ψ⁽ⁿ⁾(x) = d^(n+1)/dx^(n+1) log Γ(x); digamma is n = 0",
                              .dz = "ψ⁽ⁿ⁺¹⁾(x)",
                              .dzbar = "no complex input",
                              .vjp = "dx = ψ⁽ⁿ⁺¹⁾(x) dw",
                              .jvp = "ẇ = ψ⁽ⁿ⁺¹⁾(x) ẋ",
                              .derivation = "ψ⁽ⁿ⁺¹⁾ is the derivative of ψ⁽ⁿ⁾ by definition: the tangent is the op with n + 1.",
                              .singular = "x = 0, -1, -2, ...: poles; the value is NaN, the gradient 0",
                              .source = "NIST Digital Library of Mathematical Functions, 5.15"},
                             [](OpCheck& check) {
                               check.function(
                                   "digamma", [](auto x) { return digamma(x); }, check.real({3, 4}, 0.5, 6));
                               check.function(
                                   "trigamma", [](auto x) { return polygamma(1, x); }, check.real({3, 4}, 0.5, 6));
                               check.function(
                                   "digamma, between poles", [](auto x) { return digamma(x); },
                                   Tensor<double>({3}, {-0.6, -1.4, -2.5}));
                             });

template <RealScalar R>
Var<R> polygamma(int n, const Var<R>& x) {
  require(n >= 0, "polygamma", "the order must be at least 0, got {}", n);
  return record(
      polygamma_op, map([n](R v) { return polygamma_of(n, v); }, x.value()),
      [n, x = x.value(), dx = accumulator(x)](const Tensor<R>& dw) {
        accumulate_map(
            dx, [n](R v, R g) { return polygamma_slope(n, v) * g; }, x, dw);
      },
      [&](const auto&) {
        const auto [mask, away] = away_from_poles(x);
        return mask * polygamma(n + 1, away) * tangent(x);
      },
      x);
}
template <RealScalar R>
Var<R> digamma(const Var<R>& x) {
  return polygamma(0, x);
}

// ------------------------------------------------------------------------------------------------ lgamma

static const Op lgamma_op({.name = "lgamma",
                           .kind = Kind::Real,
                           .equation = "w = log |Γ(x)|",
                           .dz = "ψ(x) = Γ'(x)/Γ(x)",
                           .dzbar = "no complex input",
                           .vjp = "dx = ψ(x) dw",
                           .jvp = "ẇ = ψ(x) ẋ",
                           .derivation = "ψ is the logarithmic derivative of Γ by definition, regardless of the sign of Γ.",
                           .singular = "x = 0, -1, -2, ...: poles; the value is infinite, the gradient 0",
                           .source = "NIST Digital Library of Mathematical Functions, 5.2.2"},
                          [](OpCheck& check) {
                            const auto f = [](auto x) { return lgamma(x); };
                            check.function("real", f, check.real({3, 4}, 0.3, 6));
                            check.function("between poles", f, Tensor<double>({3}, {-0.6, -1.4, -2.5}));
                            check.finite("large and small", f, Tensor<double>({3}, {1e30, 1e-30, -1e-30}));
                          });

template <RealScalar R>
Var<R> lgamma(const Var<R>& x) {
  // std::lgamma writes Γ's sign to a global variable, a data race between threads.
  const auto value = [](R v) {
    int sign = 0;
    if constexpr (std::same_as<R, float>)
      return ::lgammaf_r(v, &sign);
    else
      return ::lgamma_r(v, &sign);
  };
  return record(
      lgamma_op, map(value, x.value()),
      [x = x.value(), dx = accumulator(x)](const Tensor<R>& dw) {
        accumulate_map(
            dx, [](R v, R g) { return polygamma_slope(-1, v) * g; }, x, dw);
      },
      [&](const auto&) {
        const auto [mask, away] = away_from_poles(x);
        return mask * digamma(away) * tangent(x);
      },
      x);
}

#define ARGAND_SPECIAL(R)                 \
  template Var<R> erfc(const Var<R>&);    \
  template Var<R> erfinv(const Var<R>&);  \
  template Var<R> lgamma(const Var<R>&);  \
  template Var<R> digamma(const Var<R>&); \
  template Var<R> polygamma(int, const Var<R>&);
ARGAND_FOR_REAL(ARGAND_SPECIAL)

}  // namespace argand
