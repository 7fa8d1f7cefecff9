#include "autograd/ops/elementwise/exponential.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "autograd/tape.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/elementwise.h"

namespace argand {

// ------------------------------------------------------------------------------------------------ exp

static const Op exp_op({.name = "exp",
                        .kind = Kind::Holomorphic,
                        .equation = "w = e^z = e^x (cos y + i sin y)",
                        .dz = "e^z",
                        .dzbar = "0",
                        .vjp = "dz = conj(w) dw",
                        .jvp = "ẇ = w ż",
                        .derivation = "exp is its own derivative, so conj(f'(z)) dw = conj(w) dw: only the output is saved.",
                        .singular = "none; overflows to infinity where e^x does",
                        .source = "Ahlfors, Complex Analysis, 2.3.1"},
                       [](OpCheck& check) {
                         const auto f = [](auto z) { return exp(z); };
                         check.function("real", f, check.real({3, 4}));
                         check.function("complex", f, check.complex({3, 4}));
                       });

template <Scalar T>
Var<T> exp(const Var<T>& z) {
  Tensor<T> w = map_accurately(Exp(), z.value());
  return record(
      exp_op, w,
      [w, dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [](auto e, auto g) { return conj_mul(e, g); }, w, dw);
      },
      [&](const Var<T>& w) { return w * tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ log

static const Op log_op({.name = "log",
                        .kind = Kind::Holomorphic,
                        .equation = "w = log|z| + i arg z, arg z in [-π, π], with -π only for Im z = -0.0",
                        .dz = "1/z",
                        .dzbar = "0",
                        .vjp = "dz = dw / conj(z)",
                        .jvp = "ẇ = ż / z, 0 at z = 0",
                        .derivation = "e^w = z gives w' e^w = 1, so w' = 1/z and conj(1/z) dw = dw/conj(z).",
                        .singular = "z = 0: value -inf, gradient 0. A real negative number gives NaN. On the cut (negative real "
                                    "axis) the value jumps by 2πi; the "
                                    "gradient is continuous across it",
                        .source = "Ahlfors, Complex Analysis, 2.3.4"},
                       [](OpCheck& check) {
                         const auto f = [](auto z) { return log(z); };
                         check.function("real", f, check.real({3, 4}, 0.2, 3));
                         check.function("complex", f, check.complex({3, 4}));
                         using Z = Tensor<std::complex<double>>;
                         check.finite("the cut, huge", f, Z({4}, {{-1, 0.0}, {-1, -0.0}, {1e30, -3e30}, {1e-30, 1e-30}}));
                       });

template <Scalar T>
Var<T> log(const Var<T>& z) {
  return record(
      log_op, map_accurately(Log(), z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) { accumulate_map(dz, QuotientOrZero(), dw, x); },
      [&](const auto&) {
        const AwayFromZero<T> away(z);
        return away.mask * (tangent(z) / away.value);
      },
      z);
}

// ------------------------------------------------------------------------------------------------ sqrt

static const Op sqrt_op({.name = "sqrt",
                         .kind = Kind::Holomorphic,
                         .equation = "w = sqrt(z), Re w >= 0",
                         .dz = "1/(2 sqrt(z))",
                         .dzbar = "0",
                         .vjp = "dz = dw / (2 conj(w)), 0 at z = 0",
                         .jvp = "ẇ = ż / (2 w), 0 at z = 0",
                         .derivation = "w² = z gives 2 w w' = 1.",
                         .singular = "z = 0: the derivative is infinite, the gradient returned is 0. A real negative number gives "
                                     "NaN. The value changes sign across the "
                                     "cut (negative real axis)",
                         .source = "Ahlfors, Complex Analysis, 2.1.2"},
                        [](OpCheck& check) {
                          const auto f = [](auto z) { return sqrt(z); };
                          check.function("real", f, check.real({3, 4}, 0.2, 3));
                          check.function("complex", f, check.complex({3, 4}));
                          check.singular("zero, real", f, Tensor<double>::zeros({2}), Tensor<double>::zeros({2}));
                          check.singular("zero, complex", f, Tensor<std::complex<double>>::zeros({2}),
                                         Tensor<std::complex<double>>::zeros({2}));
                        });

template <Scalar T>
Var<T> sqrt(const Var<T>& z) {
  Tensor<T> w;
  if constexpr (RealScalar<T>)
    w = map_packs([](auto x) { return math::sqrt(x); }, z.value());
  else
    w = map([](T x) { return std::sqrt(x); }, z.value());
  return record(
      sqrt_op, w,
      [w, dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(dz, QuotientOrZero(), dw, map_packs([](auto root) { return root * RealOf<T>(2); }, w));
      },
      [&](const Var<T>& w) {
        const AwayFromZero<T> away(w);
        return away.mask * (tangent(z) / (RealOf<T>(2) * away.value));
      },
      z);
}

#define ARGAND_EXPONENTIAL(T)         \
  template Var<T> exp(const Var<T>&); \
  template Var<T> log(const Var<T>&); \
  template Var<T> sqrt(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_EXPONENTIAL)

}  // namespace argand
