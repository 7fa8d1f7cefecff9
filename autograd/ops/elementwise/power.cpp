#include "autograd/ops/elementwise/power.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "core/kernels/complex_math.h"

namespace argand {
namespace {

/// The next larger type. The power multiplies relative errors of |z| and arg z by p; in the larger type, which can also hold |z|²
/// and |z| for any z, these stay below R's precision.
template <RealScalar R>
using Wide = std::conditional_t<std::same_as<R, float>, double, long double>;

template <RealScalar R>
R power(R x, R p) {
  return std::pow(x, p);
}
template <RealScalar R>
std::complex<R> power(std::complex<R> z, R p) {
  if (p == 0) return 1;
  // Small integer powers are products, exact for small integers: (1 + i)² = 2i.
  if (p == 1) return z;
  if (p == -1) return divide(R(1), z);
  const Wide<R> x = z.real(), y = z.imag(), q = p;
  if (p == 2 || p == 3) {
    const std::complex<Wide<R>> square{x * x - y * y, 2 * x * y};
    const auto w =
        p == 2 ? square : std::complex<Wide<R>>{square.real() * x - square.imag() * y, square.real() * y + square.imag() * x};
    return {static_cast<R>(w.real()), static_cast<R>(w.imag())};
  }
  const Wide<R> r = std::pow(std::sqrt(x * x + y * y), q);
  if (z == std::complex<R>(0)) return static_cast<R>(r);
  const Wide<R> phi = q * std::atan2(y, x);
  return {static_cast<R>(r * std::cos(phi)), phi == 0 ? R(0) : static_cast<R>(r * std::sin(phi))};  // r may be infinite
}

/// p z^(p-1), but 0 at z = 0 where it would be infinite.
template <Scalar T>
T power_derivative(T z, RealOf<T> p) {
  if (p == 0 || (z == T(0) && p < 1)) return T(0);
  return mul(power(z, p - 1), p);
}

/// z^p for a whole p from 1 to 4, by products where floats are packs of doubles: a tenth of the time of the C library's pow.
struct SmallPower {
  int p;
  template <Scalar T>
  T operator()(T z) const {
    return power(z, static_cast<RealOf<T>>(p));
  }
  Pack<double> operator()(Pack<double> x) const {
    const Pack<double> square = x * x;
    return p == 1 ? x : p == 2 ? square : p == 3 ? square * x : square * square;
  }
};

}  // namespace

// ------------------------------------------------------------------------------------------------ pow

static const Op pow_op(
    {.name = "pow",
     .kind = Kind::Holomorphic,
     .equation = "w = z^p = exp(p log z), p a real constant, principal branch",
     .dz = "p z^(p-1)",
     .dzbar = "0",
     .vjp = "dz = conj(p z^(p-1)) dw",
     .jvp = "ẇ = p z^(p-1) ż, 0 at z = 0 if p < 1",
     .derivation = "w' = exp(p log z) p/z = p z^(p-1): both sides use the same branch of the logarithm, so the exponents subtract. "
                   "For p = 0, w = 1 everywhere.",
     .singular = "z = 0: gradient 0 if p < 1 (the derivative is infinite, or p = 0), value infinite if p < 0. For a fractional p a "
                 "complex w jumps across the cut (negative real axis), where arg z = ±π takes the sign of Im z; for a real z < 0, "
                 "w is NaN",
     .source = "Ahlfors, Complex Analysis, 2.3.4"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return pow(z, 2.5f); };
      const auto root = [](auto z) { return pow(z, 0.5f); };
      const auto one = [](auto z) { return pow(z, 0.0f); };
      check.function("real, p = 2.5", f, check.real({3, 4}, 0.2, 3));
      check.function(
          "real, p = 3, both signs", [](auto z) { return pow(z, 3.0f); }, check.real({3, 4}));
      check.function(
          "real, p = -1.5", [](auto z) { return pow(z, -1.5f); }, check.real({3, 4}, 0.4, 3));
      check.function("complex, p = 2.5", f, check.complex({3, 4}));
      check.function(
          "complex, p = -1", [](auto z) { return pow(z, -1.0f); }, check.complex({3, 4}));
      const auto zero = Tensor<double>::zeros({2});
      const Tensor<std::complex<double>> zeros({4}, {{0.0, 0.0}, {-0.0, 0.0}, {0.0, -0.0}, {-0.0, -0.0}}),
          complex_zero = Tensor<std::complex<double>>::zeros({4});
      check.singular("zero, real, p = 0.5", root, zero, zero);
      check.singular("zero, complex, p = 0.5", root, zeros, complex_zero);
      check.singular("zero, real, p = 0", one, zero, zero);
      check.singular("zero, complex, p = 0", one, zeros, complex_zero);
      check.finite("cut, both sides", root, Tensor<std::complex<double>>({2}, {{-1.0, 0.0}, {-1.0, -0.0}}));
      check.finite("huge and tiny", root, Tensor<std::complex<double>>({3}, {{1e30, -1e30}, {1e-30, 1e-30}, {-1e-40, 1e-40}}));
    });

template <Scalar T>
Var<T> pow(const Var<T>& z, RealOf<T> p) {
  const int small = p == 2 || p == 3 || p == 4 ? static_cast<int>(p) : 0;
  return record(
      pow_op, small > 0 ? map_accurately(SmallPower{small}, z.value()) : map([p](T x) { return power(x, p); }, z.value()),
      [p, small, x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        const SmallPower less{small - 1};
        if (small > 0)
          return accumulate_accurately(
              dz, [p, less](auto v, auto g) -> decltype(conj_mul(less(v) * p, g)) { return conj_mul(less(v) * p, g); }, x, dw);
        accumulate_map(
            dz, [p](T v, T g) { return conj_mul(power_derivative(v, p), g); }, x, dw);
      },
      [&](const auto&) {
        if (p >= 1) return p * pow(z, p - 1) * tangent(z);
        const AwayFromZero<T> away(z);
        return away.mask * (p * pow(away.value, p - 1) * tangent(z));
      },
      z);
}

// ------------------------------------------------------------------------------------------------ square

static const Op square_op({.name = "square",
                           .kind = Kind::Holomorphic,
                           .equation = "w = z²",
                           .dz = "2z",
                           .dzbar = "0",
                           .vjp = "dz = 2 conj(z) dw",
                           .jvp = "ẇ = 2z ż",
                           .derivation = "(z + h)² = z² + 2zh + h², whose term linear in h is 2zh.",
                           .singular = "none",
                           .source = "Ahlfors, Complex Analysis, 2.1.2"},
                          [](OpCheck& check) {
                            const auto f = [](auto z) { return square(z); };
                            check.function("real", f, check.real({3, 4}));
                            check.function("complex", f, check.complex({3, 4}));
                          });

template <Scalar T>
Var<T> square(const Var<T>& z) {
  return record(
      square_op, map_packs([](auto x) { return mul(x, x); }, z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [](auto v, auto g) { return conj_mul(v, g) * RealOf<T>(2); }, x, dw);
      },
      [&](const auto&) { return RealOf<T>(2) * z * tangent(z); }, z);
}

#define ARGAND_POWER(T)                          \
  template Var<T> pow(const Var<T>&, RealOf<T>); \
  template Var<T> square(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_POWER)

}  // namespace argand
