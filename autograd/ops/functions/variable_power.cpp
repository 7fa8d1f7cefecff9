#include "autograd/ops/functions/variable_power.h"

#include <cmath>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "autograd/ops/selection/expand.h"
#include "autograd/ops/selection/where.h"
#include "core/kernels/complex_math.h"

namespace argand {
namespace {

template <RealScalar R>
R power_of(R z, R p) {
  return std::pow(z, p);
}
/// Takes the logarithm in the next larger type, so that p times its rounding error does not show in the result.
template <RealScalar R>
std::complex<R> power_of(std::complex<R> z, std::complex<R> p) {
  using W = std::conditional_t<std::same_as<R, float>, double, long double>;
  if (p == std::complex<R>(0)) return 1;
  if (p == std::complex<R>(1)) return z;
  const W a = p.real(), b = p.imag(), x = z.real(), y = z.imag();
  if (z == std::complex<R>(0)) return a > 0 ? R(0) : std::numeric_limits<R>::infinity();
  const W log_r = std::log(std::hypot(x, y)), theta = std::atan2(y, x);
  const W r = std::exp(a * log_r - b * theta), phi = a * theta + b * log_r;
  return {static_cast<R>(r * std::cos(phi)), phi == 0 ? R(0) : static_cast<R>(r * std::sin(phi))};  // r may be infinite
}

/// p z^(p-1); 0 at z = 0 unless p = 1. Where the power is 0 the result is 0, even for an infinite p.
template <Scalar T>
T power_by_base(T z, T p) {
  if (p == T(0) || (z == T(0) && p != T(1))) return T(0);
  const T power = power_of(z, p - T(1));
  return power == T(0) ? power : mul(p, power);
}
/// z^p log z; 0 at z = 0, and at an infinite z whose power is 0.
template <Scalar T>
T power_by_exponent(T z, T p) {
  if (z == T(0)) return p == p ? T(0) : p;
  const T power = power_of(z, p), log_z = std::log(z);
  return power == T(0) && log_z == log_z ? power : mul(power, log_z);
}

}  // namespace

// ------------------------------------------------------------------------------------------------ power

static const Op power_op(
    {.name = "power",
     .kind = Kind::Holomorphic,
     .equation = "w = z^p = exp(p log z), z and p variables, principal branch",
     .dz = "∂w/∂z = p z^(p-1), ∂w/∂p = w log z",
     .dzbar = "0",
     .vjp = "dz = conj(p z^(p-1)) dw, dp = conj(w log z) dw; the real part for a real operand; summed over broadcast axes",
     .jvp = "ẇ = p z^(p-1) ż + w log z ṗ, but at z = 0: ż if p = 1, else 0",
     .derivation = "The chain rule on exp(p log z): w p/z with respect to z, which is p z^(p-1), because both factors use the same "
                   "branch of the logarithm; w log z with respect to p.",
     .singular = "z = 0: w is 0 for Re p > 0, 1 for p = 0, else infinite; the gradients are 0, except that for p = 1 the gradient "
                 "of z is that of w. Real operands: a negative z has a real power only for an integer p, so the gradient of p is "
                 "NaN. w jumps across the cut (negative real axis), where arg z = ±π takes the sign of Im z",
     .source = "Ahlfors, Complex Analysis, 2.3.4"},
    [](OpCheck& check) {
      const auto f = [](auto z, auto p) { return pow(z, p); };
      check.function("real", f, check.real({3, 4}, 0.3, 3), check.real({3, 4}));
      check.function("complex", f, check.complex({3, 4}), check.complex({3, 4}));
      check.function("real base, broadcast", f, check.real({3, 1}, 0.3, 3), check.complex({4}));
      check.function("real exponent", f, check.complex({4}), check.real({4}));
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        at.function("real base, one", f, at.real({1}, 0.5, 2), at.complex({n}));
        at.function("real exponent, one", f, at.complex({n}), at.real({1}));
      });
      using Z = Tensor<std::complex<double>>;
      check.finite("base 0", f, Z::zeros({3}), Z({3}, {{2, 1}, {1, 0}, {0, 0}}));
      check.finite("base 0, real", f, Tensor<double>::zeros({4}), Tensor<double>({4}, {2, 0.5, 1, 0}));
      check.finite("cut, both sides", f, Z({2}, {{-1.0, 0.0}, {-1.0, -0.0}}), Z({2}, {{0.5, 1}, {0.5, 1}}));
    });

namespace {
template <Scalar T>
Var<T> power_of_one_shape(const Var<T>& z, const Var<T>& p) {
  return record(
      power_op, map([](T v, T q) { return power_of(v, q); }, z.value(), p.value()),
      [v = z.value(), q = p.value(), dz = accumulator(z), dp = accumulator(p)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [](T v, T q, T g) { return conj_mul(power_by_base(v, q), g); }, v, q, dw);
        accumulate_map(
            dp, [](T v, T q, T g) { return conj_mul(power_by_exponent(v, q), g); }, v, q, dw);
      },
      [&](const Var<T>& w) {
        using R = RealOf<T>;
        const AwayFromZero<T> away(z);
        const Var<T> by_base = p * power_of_one_shape(away.value, p - R(1)) * tangent(z);
        const Var<T> by_exponent =
            where(eq(z.value(), Tensor<T>::zeros(Shape{})), Var<T>(Tensor<T>::zeros(Shape{})), w) * log(away.value) * tangent(p);
        const Var<T> of_one = where(eq(p.value(), Tensor<T>::ones(Shape{})), tangent(z), Var<T>(Tensor<T>::zeros(Shape{})));
        return where(eq(z.value(), Tensor<T>::zeros(Shape{})), of_one, by_base + by_exponent);
      },
      z, p);
}

template <Scalar T, Scalar A>
Var<T> promoted_to(const Var<A>& x) {
  if constexpr (std::same_as<T, A>)
    return x;
  else
    return to_complex(x);
}
}  // namespace

template <Scalar A, Scalar B>
Var<Promote<A, B>> pow(const Var<A>& z, const Var<B>& p) {
  using T = Promote<A, B>;
  const Shape shape = broadcast("pow", z.shape(), p.shape());
  return power_of_one_shape(promoted_to<T>(expand(z, shape)), promoted_to<T>(expand(p, shape)));
}

#define ARGAND_VARIABLE_POWER(R)                                                 \
  template Var<R> pow(const Var<R>&, const Var<R>&);                             \
  template Var<std::complex<R>> pow(const Var<R>&, const Var<std::complex<R>>&); \
  template Var<std::complex<R>> pow(const Var<std::complex<R>>&, const Var<R>&); \
  template Var<std::complex<R>> pow(const Var<std::complex<R>>&, const Var<std::complex<R>>&);
ARGAND_FOR_REAL(ARGAND_VARIABLE_POWER)

}  // namespace argand
