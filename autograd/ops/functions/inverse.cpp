#include "autograd/ops/functions/inverse.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "autograd/ops/elementwise/phase.h"
#include "autograd/ops/selection/expand.h"
#include "autograd/ops/selection/where.h"
#include "core/kernels/complex_math.h"
#include "core/machine/complex_inverse.h"

namespace argand {
namespace {

constexpr const char* by_inversion = "NIST Digital Library of Mathematical Functions, 4.23, 4.24, 4.37, 4.38";

/// i z for a complex z.
template <RealScalar R>
std::complex<R> times_i(std::complex<R> z) {
  return {-z.imag(), z.real()};
}

/// The two factors of 1 - z², z² - 1 and 1 + z². Each stays accurate near its zero, where computing the polynomial itself would
/// lose digits to cancellation. The 1 is real, so that no +0 is added to an imaginary part: the sign of a zero selects the side of
/// a cut.
struct OneMinusSquare {  // (1 - z)(1 + z)
  template <Scalar T>
  static std::pair<T, T> factors(T z) {
    return {RealOf<T>(1) - z, RealOf<T>(1) + z};
  }
  template <Scalar T>
  static std::pair<Var<T>, Var<T>> factors(const Var<T>& z) {
    using R = RealOf<T>;
    return {R(1) - z, R(1) + z};
  }
};
struct SquareMinusOne {  // (z - 1)(z + 1)
  template <Scalar T>
  static std::pair<T, T> factors(T z) {
    return {z - RealOf<T>(1), z + RealOf<T>(1)};
  }
  template <Scalar T>
  static std::pair<Var<T>, Var<T>> factors(const Var<T>& z) {
    using R = RealOf<T>;
    return {z - R(1), z + R(1)};
  }
};
struct OnePlusSquare {  // (1 - iz)(1 + iz)
  template <RealScalar R>
  static std::pair<std::complex<R>, std::complex<R>> factors(std::complex<R> z) {
    return {R(1) - times_i(z), R(1) + times_i(z)};
  }
  template <RealScalar R>
  static std::pair<Var<std::complex<R>>, Var<std::complex<R>>> factors(const Var<std::complex<R>>& z) {
    const Var<std::complex<R>> turned = make_complex(-imag(z), real(z));  // i z
    return {R(1) - turned, R(1) + turned};
  }
};

/// conj(c/(f g)) dw or conj(c/√(f g)) dw for the factors f, g at z; 0 where one of them is 0.
template <class Factors, bool root, Scalar T>
T pulled_back(T z, T dw) {
  if constexpr (RealScalar<T> && std::same_as<Factors, OnePlusSquare>) {
    return root ? dw / std::hypot(T(1), z) : (std::abs(z) < 1 ? dw / (1 + z * z) : dw / z / (z + 1 / z));
  } else {
    const auto [f, g] = Factors::factors(z);
    if (f == T(0) || g == T(0)) return T(0);
    if constexpr (root)
      return divide(divide(dw, conj_of(std::sqrt(f))), conj_of(std::sqrt(g)));
    else
      return divide(divide(dw, conj_of(f)), conj_of(g));
  }
}

/// ż/(f g) or ż/√(f g), as ops.
template <class Factors, bool root, Scalar T>
Var<T> pushed_forward(const Var<T>& z) {
  if constexpr (RealScalar<T> && std::same_as<Factors, OnePlusSquare>) {
    const Var<T> square_sum = T(1) + square(z);
    return tangent(z) / (root ? sqrt(square_sum) : square_sum);
  } else {
    const auto both = Factors::factors(z);
    const AwayFromZero<T> f(both.first), g(both.second);
    const Var<T> a = root ? sqrt(f.value) : f.value, b = root ? sqrt(g.value) : g.value;
    return f.mask * (g.mask * (tangent(z) / a / b));
  }
}

/// Records w = value(z) with w' = ±1/√(f g) or ±1/(f g).
template <class Factors, bool root, Scalar T, class F>
Var<T> inverse_function(const Op& op, const Var<T>& z, RealOf<T> sign, const F& value) {
  return record(
      op, map_accurately(value, z.value()),
      [sign, x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [sign](T v, T g) { return mul(pulled_back<Factors, root>(v, g), sign); }, x, dw);
      },
      [&](const auto&) { return sign * pushed_forward<Factors, root>(z); }, z);
}

ARGAND_ACCURATE(Asin, inverse::asin, math::asin)
ARGAND_ACCURATE(Acos, inverse::acos, math::acos)
ARGAND_ACCURATE(Atan, inverse::atan, math::atan)

using Numbers = Tensor<double>;
using ComplexNumbers = Tensor<std::complex<double>>;

/// Checks random reals in [low, high], random complex numbers, huge and tiny numbers, and both sides of the cuts.
template <class F>
void check_inverse(OpCheck& check, const F& f, double low, double high) {
  check.function("real", f, check.real({3, 4}, low, high));
  check.function("complex", f, check.complex({3, 4}));
  check.finite("huge and tiny", f,
               ComplexNumbers({5}, {{1e30, -1e30}, {-1e30, 1.0}, {1e-30, 1e-30}, {1e-40, -1e-42}, {1e-30, -1e30}}));
  check.finite("both sides of the cuts", f,
               ComplexNumbers({8}, {{2, 0.0}, {2, -0.0}, {-2, 0.0}, {-2, -0.0}, {0.0, 2}, {-0.0, 2}, {0.0, -2}, {-0.0, -2}}));
}

}  // namespace

// ------------------------------------------------------------------------------------------------ asin

static const Op asin_op({.name = "asin",
                         .kind = Kind::Holomorphic,
                         .equation = "w = asin z = -i log(iz + sqrt(1 - z²)), Re w in [-π/2, π/2]",
                         .dz = "1/sqrt(1 - z²)",
                         .dzbar = "0",
                         .vjp = "dz = dw / conj(sqrt(1 - z) sqrt(1 + z))",
                         .jvp = "ẇ = ż / (sqrt(1 - z) sqrt(1 + z)), 0 at z = ±1",
                         .derivation = "sin w = z gives cos w w' = 1, and cos w = sqrt(1 - z²) with Re cos w >= 0, since Re w is "
                                       "in [-π/2, π/2]. The product of the roots equals the root of the product off the cuts and, "
                                       "on them, its limit from the side that the sign of Im z selects; the factors keep their "
                                       "digits near ±1.",
                         .singular = "z = ±1: the derivative is infinite, the gradient returned is 0. A real |x| > 1 gives NaN. On "
                                     "the cuts, the real axis beyond ±1, the sign of Im z selects the side",
                         .source = by_inversion},
                        [](OpCheck& check) {
                          const auto f = [](auto z) { return asin(z); };
                          check_inverse(check, f, -0.9, 0.9);
                          check.singular("branch points, real", f, Numbers({2}, {1, -1}), Numbers::zeros({2}));
                          check.singular("branch points", f, ComplexNumbers({2}, {{1, 0}, {-1, 0}}), ComplexNumbers::zeros({2}));
                        });

template <Scalar T>
Var<T> asin(const Var<T>& z) {
  return inverse_function<OneMinusSquare, true>(asin_op, z, 1, Asin());
}

// ------------------------------------------------------------------------------------------------ acos

static const Op acos_op(
    {.name = "acos",
     .kind = Kind::Holomorphic,
     .equation = "w = acos z = π/2 - asin z, Re w in [0, π]",
     .dz = "-1/sqrt(1 - z²)",
     .dzbar = "0",
     .vjp = "dz = -dw / conj(sqrt(1 - z) sqrt(1 + z))",
     .jvp = "ẇ = -ż / (sqrt(1 - z) sqrt(1 + z)), 0 at z = ±1",
     .derivation = "acos z is a constant minus asin z. (The value is computed directly: near z = 1 the difference would cancel.)",
     .singular = "as for asin: the gradient is 0 at z = ±1, a real |x| > 1 gives NaN, and the cuts are the real axis beyond ±1",
     .source = by_inversion},
    [](OpCheck& check) {
      const auto f = [](auto z) { return acos(z); };
      check_inverse(check, f, -0.9, 0.9);
      check.singular("branch points, real", f, Numbers({2}, {1, -1}), Numbers::zeros({2}));
      check.singular("branch points", f, ComplexNumbers({2}, {{1, 0}, {-1, 0}}), ComplexNumbers::zeros({2}));
    });

template <Scalar T>
Var<T> acos(const Var<T>& z) {
  return inverse_function<OneMinusSquare, true>(acos_op, z, -1, Acos());
}

// ------------------------------------------------------------------------------------------------ atan

static const Op atan_op(
    {.name = "atan",
     .kind = Kind::Holomorphic,
     .equation = "w = atan z = i/2 (log(1 - iz) - log(1 + iz)), Re w in [-π/2, π/2]",
     .dz = "1/(1 + z²)",
     .dzbar = "0",
     .vjp = "dz = dw / conj((1 - iz)(1 + iz))",
     .jvp = "ẇ = ż / ((1 - iz)(1 + iz)), 0 at z = ±i",
     .derivation = "tan w = z gives (1 + tan² w) w' = 1. The derivative is the same on both sides of the cuts.",
     .singular = "z = ±i: infinite value, gradient 0. On the cuts, the imaginary axis beyond ±i, the sign of Re z selects the side",
     .source = by_inversion},
    [](OpCheck& check) {
      const auto f = [](auto z) { return atan(z); };
      check_inverse(check, f, -3, 3);
      check.finite("large, real", f, Numbers({2}, {1e30, -1e30}));
    });

template <Scalar T>
Var<T> atan(const Var<T>& z) {
  return inverse_function<OnePlusSquare, false>(atan_op, z, 1, Atan());
}

// ------------------------------------------------------------------------------------------------ asinh

static const Op asinh_op(
    {.name = "asinh",
     .kind = Kind::Holomorphic,
     .equation = "w = asinh z = log(z + sqrt(1 + z²)), Im w in [-π/2, π/2]",
     .dz = "1/sqrt(1 + z²)",
     .dzbar = "0",
     .vjp = "dz = dw / conj(sqrt(1 - iz) sqrt(1 + iz))",
     .jvp = "ẇ = ż / (sqrt(1 - iz) sqrt(1 + iz)), 0 at z = ±i",
     .derivation = "sinh w = z gives cosh w w' = 1, and cosh w = sqrt(1 + z²) with Re cosh w >= 0, since Im w is in [-π/2, π/2].",
     .singular = "z = ±i: the derivative is infinite, the gradient returned is 0. On the cuts, the imaginary axis beyond ±i, the "
                 "sign of Re z selects the side",
     .source = by_inversion},
    [](OpCheck& check) {
      const auto f = [](auto z) { return asinh(z); };
      check_inverse(check, f, -3, 3);
      check.finite("large, real", f, Numbers({2}, {1e30, -1e30}));
      check.singular("branch points", f, ComplexNumbers({2}, {{0, 1}, {0, -1}}), ComplexNumbers::zeros({2}));
    });

template <Scalar T>
Var<T> asinh(const Var<T>& z) {
  return inverse_function<OnePlusSquare, true>(asinh_op, z, 1, [](T v) { return inverse::asinh(v); });
}

// ------------------------------------------------------------------------------------------------ acosh

static const Op acosh_op({.name = "acosh",
                          .kind = Kind::Holomorphic,
                          .equation = "w = acosh z = log(z + sqrt(z - 1) sqrt(z + 1)), Re w >= 0",
                          .dz = "1/(sqrt(z - 1) sqrt(z + 1))",
                          .dzbar = "0",
                          .vjp = "dz = dw / conj(sqrt(z - 1) sqrt(z + 1))",
                          .jvp = "ẇ = ż / (sqrt(z - 1) sqrt(z + 1)), 0 at z = ±1",
                          .derivation = "cosh w = z gives sinh w w' = 1, and sinh w = sqrt(z - 1) sqrt(z + 1): a single root of "
                                        "the product would have the wrong sign in the left half-plane.",
                          .singular = "z = ±1: the derivative is infinite, the gradient returned is 0. A real x < 1 gives NaN. On "
                                      "the cut, the real axis left of 1, the sign of Im z selects the side",
                          .source = by_inversion},
                         [](OpCheck& check) {
                           const auto f = [](auto z) { return acosh(z); };
                           check_inverse(check, f, 1.2, 4);
                           check.singular("branch point, real", f, Numbers({1}, {1}), Numbers::zeros({1}));
                           check.singular("branch points", f, ComplexNumbers({2}, {{1, 0}, {-1, 0}}), ComplexNumbers::zeros({2}));
                         });

template <Scalar T>
Var<T> acosh(const Var<T>& z) {
  return inverse_function<SquareMinusOne, true>(acosh_op, z, 1, [](T v) { return inverse::acosh(v); });
}

// ------------------------------------------------------------------------------------------------ atanh

static const Op atanh_op(
    {.name = "atanh",
     .kind = Kind::Holomorphic,
     .equation = "w = atanh z = 1/2 (log(1 + z) - log(1 - z)), Im w in [-π/2, π/2]",
     .dz = "1/(1 - z²)",
     .dzbar = "0",
     .vjp = "dz = dw / conj((1 - z)(1 + z))",
     .jvp = "ẇ = ż / ((1 - z)(1 + z)), 0 at z = ±1",
     .derivation = "tanh w = z gives (1 - tanh² w) w' = 1. The derivative is the same on both sides of the cuts.",
     .singular = "z = ±1: infinite value, gradient 0. A real |x| > 1 gives NaN. On the cuts, the real axis beyond ±1, the sign of "
                 "Im z selects the side",
     .source = by_inversion},
    [](OpCheck& check) {
      const auto f = [](auto z) { return atanh(z); };
      check_inverse(check, f, -0.9, 0.9);
    });

template <Scalar T>
Var<T> atanh(const Var<T>& z) {
  return inverse_function<OneMinusSquare, false>(atanh_op, z, 1, [](T v) { return inverse::atanh(v); });
}

// ------------------------------------------------------------------------------------------------ atan2

static const Op atan2_op(
    {.name = "atan2",
     .kind = Kind::Real,
     .equation = "θ = atan2(y, x) = arg(x + iy), in [-π, π]",
     .dz = "∂θ/∂y = x/r², ∂θ/∂x = -y/r², r² = x² + y²",
     .dzbar = "no complex input",
     .vjp = "dy = x/r² dθ, dx = -y/r² dθ, 0 at x = y = 0; summed over broadcast axes",
     .jvp = "θ̇ = Im(conj(u) ż)/r, z = x + iy, u = z/r, 0 at z = 0",
     .derivation = "θ = Im log z, so θ̇ = Im(ż/z) = (x ẏ - y ẋ)/r². The squares are computed in the next wider type.",
     .singular = "x = y = 0: the value is 0 or ±π, depending on the signs of the zeros; the gradient returned is 0, as for a "
                 "subnormal r, where 1/r may overflow. y = 0, x < 0: the value jumps by 2π; the gradient is continuous. ±inf: the "
                 "angle of the direction, a multiple of π/4, with gradient 0",
     .source = "Ahlfors, Complex Analysis, 2.3.4"},
    [](OpCheck& check) {
      const auto f = [](auto y, auto x) { return atan2(y, x); };
      check.function("real", f, check.real({3, 4}, 0.3, 2), check.real({3, 4}));
      check.function("broadcast", f, check.real({3, 1}, -2, -0.3), check.real({4}));
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        at.function("row", f, at.real({2, n}, 0.3, 2), at.real({n}));
        at.function("one", f, at.real({n}), at.real({1}, 0.3, 2));
      });
      check.singular(
          "0", [](auto y) { return atan2(y, y); }, Numbers({2}, {0.0, -0.0}), Numbers::zeros({2}));
      check.finite("the cut", f, Numbers({2}, {0.0, -0.0}), Numbers({2}, {-1, -1}));
      check.finite("huge and tiny", f, Numbers({5}, {1e30, -1e30, 1e-30, 1e-40, 0}),
                   Numbers({5}, {-1e30, 1, 1e-30, -1e-42, 1e-45}));
      const double infinity = std::numeric_limits<double>::infinity();
      check.singular(
          "infinite", [](auto y) { return atan2(y, number<RealOf<typename decltype(y)::value_type>>(1)); },
          Numbers({2}, {infinity, -infinity}), Numbers::zeros({2}));
    });

namespace {

/// (part/r²) g, r² = a² + b² in the next larger type, which holds the squares; 0 where r is zero or subnormal and for infinite
/// coordinates.
struct OverSquare {
  template <RealScalar R>
  R operator()(R part, R b, R a, R g) const {
    using W = std::conditional_t<std::same_as<R, float>, double, long double>;
    const W square = static_cast<W>(a) * a + static_cast<W>(b) * b, least = std::numeric_limits<R>::min();
    return square < least * least || std::isinf(a) || std::isinf(b) ? R(0) : static_cast<R>(part / square * g);
  }
  Pack<double> operator()(Pack<double> part, Pack<double> b, Pack<double> a, Pack<double> g) const {
    constexpr double least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
    const Pack<double> square = a * a + b * b, zero(0);
    const auto none =
        (square < Pack<double>(least * least)) | (math::abs(a) > Pack<double>(most)) | (math::abs(b) > Pack<double>(most));
    return math::select(none, zero, part / square * g);
  }
};

template <RealScalar R>
Var<R> atan2_of_one_shape(const Var<R>& y, const Var<R>& x) {
  using C = std::complex<R>;
  return record(
      atan2_op, map_accurately(Atan2(), y.value(), x.value()),
      [yv = y.value(), xv = x.value(), dy = accumulator(y), dx = accumulator(x)](const Tensor<R>& dw) {
        accumulate_accurately(
            dy, [](auto b, auto a, auto g) { return OverSquare()(a, b, a, g); }, yv, xv, dw);
        accumulate_accurately(
            dx, [](auto b, auto a, auto g) { return OverSquare()(-b, b, a, g); }, yv, xv, dw);
      },
      [&](const auto&) {
        const auto far = [](R b, R a) { return R(std::isinf(a) || std::isinf(b) ? 0 : 1); };
        const Tensor<R> finite = map(far, y.value(), x.value());
        const Mask mask = gt(finite, Tensor<R>::scalar(0));
        const Var<C> z = where(mask, make_complex(x, y), number<C>(1));
        return constant(finite) * tangent_of_angle(z, unit_phasor(z), make_complex(tangent(x), tangent(y)));
      },
      y, x);
}

}  // namespace

template <RealScalar R>
Var<R> atan2(const Var<R>& y, const Var<R>& x) {
  const Shape shape = broadcast("atan2", y.shape(), x.shape());
  return atan2_of_one_shape(expand(y, shape), expand(x, shape));
}

#define ARGAND_INVERSE(T)               \
  template Var<T> asin(const Var<T>&);  \
  template Var<T> acos(const Var<T>&);  \
  template Var<T> atan(const Var<T>&);  \
  template Var<T> asinh(const Var<T>&); \
  template Var<T> acosh(const Var<T>&); \
  template Var<T> atanh(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_INVERSE)
template Var<float> atan2(const Var<float>&, const Var<float>&);
template Var<double> atan2(const Var<double>&, const Var<double>&);

}  // namespace argand
