#include "autograd/ops/functions/near_zero.h"

#include <cmath>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "autograd/ops/elementwise/special_points.h"
#include "autograd/ops/selection/expand.h"
#include "autograd/ops/selection/where.h"
#include "core/kernels/compensated.h"
#include "core/kernels/complex_math.h"

namespace argand {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
using Numbers = Tensor<double>;
using ComplexNumbers = Tensor<std::complex<double>>;

/// The type for the parts of complex functions, wide enough that digits lost to cancellation do not show in the result.
template <RealScalar R>
using Wider = std::conditional_t<std::same_as<R, float>, double, long double>;

template <RealScalar R>
R log1p_of(R x) {
  return std::log1p(x);
}
/// log |1 + z| from |1 + z|² - 1 = 2x + x² + y² where |1 + z| is near 1.
template <RealScalar R>
std::complex<R> log1p_of(std::complex<R> z) {
  using W = Wider<R>;
  const W x = z.real(), y = z.imag(), u = 1 + x;
  const W r = std::hypot(u, y), re = r > W(0.5) && r < 2 ? std::log1p(2 * x + (x * x + y * y)) / 2 : std::log(r);
  return {static_cast<R>(re), static_cast<R>(std::atan2(y, u))};
}

template <RealScalar R>
R expm1_of(R x) {
  return std::expm1(x);
}
/// Re = (e^x - 1) cos y - 2 sin²(y/2), which equals e^x cos y - 1.
template <RealScalar R>
std::complex<R> expm1_of(std::complex<R> z) {
  using W = Wider<R>;
  const W x = z.real(), y = z.imag(), half = std::sin(y / 2);
  if (x > 1) {
    const std::complex<R> w = std::exp(z);
    return {w.real() - 1, w.imag()};
  }
  return {static_cast<R>(std::expm1(x) * std::cos(y) - 2 * half * half),
          y == 0 ? z.imag() : static_cast<R>(std::exp(x) * std::sin(y))};
}

ARGAND_ACCURATE(Log1p, log1p_of, math::log1p)
ARGAND_ACCURATE(Expm1, expm1_of, math::expm1)

/// log(1 + e^x) = max(x, 0) + log1p(e^-|x|).
template <class X>
X softplus_of(X x) {
  return math::select(x < X(0), X(0), x) + math::log1p(math::exp(-math::abs(x)));
}

}  // namespace

// ------------------------------------------------------------------------------------------------ log1p

static const Op log1p_op(
    {.name = "log1p",
     .kind = Kind::Holomorphic,
     .equation = "w = log(1 + z) = 1/2 log1p(2x + x² + y²) + i atan2(y, 1 + x), Im w in [-π, π]",
     .dz = "1/(1 + z)",
     .dzbar = "0",
     .vjp = "dz = dw / conj(1 + z), 0 at z = -1",
     .jvp = "ẇ = ż / (1 + z), 0 at z = -1",
     .derivation = "The chain rule on log and 1 + z. |1 + z|² - 1 = 2x + x² + y² keeps the digits that |1 + z| loses near 1.",
     .singular = "z = -1: the value is -inf, the gradient returned is 0. A real x < -1 gives NaN. Across the cut, the real axis "
                 "below -1, the value jumps by 2πi; the gradient is continuous. x = +inf: +inf, gradient 0",
     .source = "NIST Digital Library of Mathematical Functions, 4.2; Kahan, Branch Cuts for Complex Elementary Functions (1987)"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return log1p(z); };
      check.function("real", f, check.real({3, 4}, -0.8, 3));
      check.function("complex", f, check.complex({3, 4}));
      check.function("around 0", f, Numbers({3}, {1e-9, -1e-12, 1e-3}));
      check.function("around 0 and the unit circle about -1, complex", f,
                     ComplexNumbers({3}, {{1e-9, -1e-7}, {-0.5, 0.866}, {-0.005, 0.1}}));
      check.finite("huge and tiny", f, huge_and_tiny());
      check.finite("both sides of the cut", f, ComplexNumbers({2}, {{-3, 0.0}, {-3, -0.0}}));
    });

template <Scalar T>
Var<T> log1p(const Var<T>& z) {
  using R = RealOf<T>;
  return record(
      log1p_op, map_accurately(Log1p(), z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [](auto g, auto v) -> decltype(QuotientOrZero()(g, v + R(1))) { return QuotientOrZero()(g, v + R(1)); }, dw, x);
      },
      [&](const auto&) {
        const AwayFromZero<T> away(z + R(1));
        return away.mask * (tangent(z) / away.value);
      },
      z);
}

// ------------------------------------------------------------------------------------------------ expm1

static const Op expm1_op(
    {.name = "expm1",
     .kind = Kind::Holomorphic,
     .equation = "w = e^z - 1 = (e^x - 1) cos y - 2 sin²(y/2) + i e^x sin y",
     .dz = "e^z",
     .dzbar = "0",
     .vjp = "dz = conj(e^z) dw",
     .jvp = "ẇ = e^z ż",
     .derivation =
         "exp is its own derivative. e^z is recomputed from z: w + 1 has lost digits where e^z is small. 1 - cos y = 2 sin²(y/2).",
     .singular = "none; overflows to infinity where e^x does. x = -inf: -1, gradient 0; x = +inf: value and gradient +inf",
     .source = "NIST Digital Library of Mathematical Functions, 4.2.19"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return expm1(z); };
      check.function("real", f, check.real({3, 4}));
      check.function("complex", f, check.complex({3, 4}));
      check.function("around 0", f, Numbers({3}, {1e-9, -1e-12, 1e-3}));
      check.function("around 0, complex", f, ComplexNumbers({2}, {{1e-9, -1e-7}, {-1e-3, 0.1}}));
      check.finite("far left", f, Numbers({2}, {-100, -1e30}));
      check.finite("far left, complex", f, ComplexNumbers({3}, {{-100, 3}, {-1e30, -1}, {1e-40, -1e-42}}));
    });

template <Scalar T>
Var<T> expm1(const Var<T>& z) {
  return record(
      expm1_op, map_accurately(Expm1(), z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_accurately(
            dz, [](auto v, auto g) -> decltype(conj_mul(Exp()(v), g)) { return conj_mul(Exp()(v), g); }, x, dw);
      },
      [&](const auto&) { return exp(z) * tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ softplus

static const Op softplus_op({.name = "softplus",
                             .kind = Kind::Real,
                             .equation = "y = log(1 + e^x) = max(x, 0) + log1p(e^-|x|)",
                             .dz = "σ(x) = 1/(1 + e^-x)",
                             .dzbar = "no complex input",
                             .vjp = "dx = σ(x) dy",
                             .jvp = "ẏ = σ(x) ẋ",
                             .derivation = "e^x/(1 + e^x) = σ(x). The exponent is -|x|, so nothing overflows.",
                             .singular = "none. x = -inf: 0, gradient 0; x = +inf: +inf, gradient 1",
                             .source = "Dugas et al., Incorporating Second-Order Functional Knowledge, NIPS 2000, sec. 2"},
                            [](OpCheck& check) {
                              const auto f = [](auto x) { return softplus(x); };
                              check.function("real", f, check.real({3, 4}, -4, 4));
                              check.finite("large", f, Numbers({4}, {1e30, -1e30, 100, -100}));
                              check.singular(
                                  "infinite", [](auto x) { return exp(-softplus(x)); }, Numbers({1}, {infinite}),
                                  Numbers({1}, {0}));
                            });

template <RealScalar R>
Var<R> softplus(const Var<R>& x) {
  return record(
      softplus_op, map_packs([](auto v) { return softplus_of(v); }, x.value()),
      [x = x.value(), dx = accumulator(x)](const Tensor<R>& dy) {
        accumulate_map(
            dx, [](auto v, auto g) { return logistic(v) * g; }, x, dy);
      },
      [&](const auto&) { return sigmoid(x) * tangent(x); }, x);
}

// ------------------------------------------------------------------------------------------------ log_sigmoid

static const Op log_sigmoid_op({.name = "log_sigmoid",
                                .kind = Kind::Real,
                                .equation = "y = log σ(x) = -log(1 + e^-x) = min(x, 0) - log1p(e^-|x|)",
                                .dz = "1 - σ(x) = σ(-x)",
                                .dzbar = "no complex input",
                                .vjp = "dx = σ(-x) dy",
                                .jvp = "ẏ = σ(-x) ẋ",
                                .derivation = "y = -softplus(-x). (1 - σ(x) would cancel for large x.)",
                                .singular = "none. x = -inf: -inf, gradient 1; x = +inf: 0, gradient 0",
                                .source = "Dugas et al., Incorporating Second-Order Functional Knowledge, NIPS 2000, sec. 2"},
                               [](OpCheck& check) {
                                 const auto f = [](auto x) { return log_sigmoid(x); };
                                 check.function("real", f, check.real({3, 4}, -4, 4));
                                 check.finite("large", f, Numbers({4}, {1e30, -1e30, 100, -100}));
                               });

template <RealScalar R>
Var<R> log_sigmoid(const Var<R>& x) {
  return record(
      log_sigmoid_op, map_packs([](auto v) { return -softplus_of(-v); }, x.value()),
      [x = x.value(), dx = accumulator(x)](const Tensor<R>& dy) {
        accumulate_map(
            dx, [](auto v, auto g) { return logistic(-v) * g; }, x, dy);
      },
      [&](const auto&) { return sigmoid(-x) * tangent(x); }, x);
}

// ------------------------------------------------------------------------------------------------ logaddexp

static const Op logaddexp_op({.name = "logaddexp",
                              .kind = Kind::Real,
                              .equation = "y = log(e^a + e^b) = max(a, b) + log1p(e^-|a - b|)",
                              .dz = "∂y/∂a = σ(a - b), ∂y/∂b = σ(b - a)",
                              .dzbar = "no complex input",
                              .vjp = "da = σ(a - b) dy, db = σ(b - a) dy; summed over broadcast axes",
                              .jvp = "ẏ = σ(a - b) ȧ + σ(b - a) ḃ",
                              .derivation = "y = a + softplus(b - a) gives ∂y/∂b = σ(b - a) and ∂y/∂a = 1 - σ(b - a) = σ(a - b).",
                              .singular = "none. An operand of -inf contributes nothing; two of them give -inf with gradients 0. "
                                          "An operand of +inf gets the whole gradient; two of them get half each",
                              .source = "Blanchard, Higham, Higham, IMA J. Numer. Anal. 41 (2021), eq. 1.1"},
                             [](OpCheck& check) {
                               const auto f = [](auto a, auto b) { return logaddexp(a, b); };
                               check.function("real", f, check.real({3, 4}), check.real({3, 4}));
                               check.function("broadcast", f, check.real({3, 1}), check.real({2, 1, 4}));
                               check.function("one dominant operand", f, Numbers({2}, {0, -30}), Numbers({2}, {-12, 0}));
                               check.sizes("", [f](OpCheck& at, std::int64_t n) {
                                 at.function("row", f, at.real({2, n}), at.real({n}));
                                 at.function("one", f, at.real({1}), at.real({n}));
                               });
                               check.finite("large", f, Numbers({3}, {1e30, -1e30, 1e30}), Numbers({3}, {-1e30, -1e30, 1e30}));
                               check.singular(
                                   "masked",
                                   [](auto a) { return logaddexp(a, number<RealOf<typename decltype(a)::value_type>>(3)); },
                                   Numbers({2}, {-infinite, 3}), Numbers({2}, {0, 0.5}));
                             });

namespace {

/// a - b and its rounding error: an exponential multiplies the relative error by |a - b|.
template <RealScalar R>
WithError<R> difference(R a, R b) {
  const WithError<R> d = exact_sum(a, -b);
  return {d.value, std::isfinite(d.value) ? d.error : R(0)};
}

/// σ(a - b); for equal infinite a and b, 1/2 if +inf and 0 if -inf. σ' = σ(d) σ(-d).
template <RealScalar R>
R sigmoid_of_difference(R a, R b) {
  if (a == b) return std::isinf(a) && a < 0 ? R(0) : R(0.5);
  const WithError<R> d = difference(a, b);
  return logistic(d.value) * (1 + d.error * logistic(-d.value));
}

template <RealScalar R>
Var<R> logaddexp_of_one_shape(const Var<R>& a, const Var<R>& b) {
  const auto value = [](R u, R v) {
    if (u == v && std::isinf(u)) return u;
    const WithError<R> d = u < v ? difference(v, u) : difference(u, v);
    return math::select(u < v || std::isnan(v), v, u) + std::log1p(std::exp(-std::abs(d.value)) * (1 - d.error));
  };
  return record(
      logaddexp_op, map(value, a.value(), b.value()),
      [a = a.value(), b = b.value(), da = accumulator(a), db = accumulator(b)](const Tensor<R>& dy) {
        accumulate_map(
            da, [](R u, R v, R g) { return sigmoid_of_difference(u, v) * g; }, a, b, dy);
        accumulate_map(
            db, [](R u, R v, R g) { return sigmoid_of_difference(v, u) * g; }, a, b, dy);
      },
      [&](const auto&) {
        const auto infinite_pair = [](R u, R v) { return R(u == v && std::isinf(u) ? 1 : 0); };
        const Tensor<R> paired = map(infinite_pair, a.value(), b.value());
        const auto shares = [](R u, R v) { return sigmoid_of_difference(u, v); };
        const Mask mask = gt(paired, Tensor<R>::scalar(0));
        const Var<R> of_pair(map(shares, a.value(), b.value()));
        const auto share = [&](const Var<R>& u, const Var<R>& v) { return where(mask, of_pair, sigmoid(u - v)); };
        return share(a, b) * tangent(a) + share(b, a) * tangent(b);
      },
      a, b);
}

}  // namespace

template <RealScalar R>
Var<R> logaddexp(const Var<R>& a, const Var<R>& b) {
  const Shape shape = broadcast("logaddexp", a.shape(), b.shape());
  return logaddexp_of_one_shape(expand(a, shape), expand(b, shape));
}

#define ARGAND_NEAR_ZERO(T)             \
  template Var<T> log1p(const Var<T>&); \
  template Var<T> expm1(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_NEAR_ZERO)
#define ARGAND_SOFT_MAXIMA(R)                 \
  template Var<R> softplus(const Var<R>&);    \
  template Var<R> log_sigmoid(const Var<R>&); \
  template Var<R> logaddexp(const Var<R>&, const Var<R>&);
ARGAND_FOR_REAL(ARGAND_SOFT_MAXIMA)

}  // namespace argand
