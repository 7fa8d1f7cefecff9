#include "autograd/ops/elementwise/trigonometric.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "core/kernels/activation.h"
#include "core/kernels/complex_math.h"

namespace argand {
namespace {

/// f(z), a pack at a time for reals.
template <class F, Scalar T>
Tensor<T> evaluate(const F& f, const Tensor<T>& z) {
  if constexpr (RealScalar<T>)
    return map_packs(f, z);
  else
    return map(f, z);
}
/// dz = conj(slope(z)) dw, also a pack at a time for reals.
template <class F, Scalar T>
void pull_back(const GradientAccumulator<T>& dz, const F& slope, const Tensor<T>& z, const Tensor<T>& dw) {
  using X = std::conditional_t<RealScalar<T>, PackOf<T>, T>;
  accumulate_map(
      dz, [slope](X v, X g) { return conj_mul(slope(v), g); }, z, dw);
}

}  // namespace

// ------------------------------------------------------------------------------------------------ sin

static const Op sin_op({.name = "sin",
                        .kind = Kind::Holomorphic,
                        .equation = "w = sin z = sin x cosh y + i cos x sinh y",
                        .dz = "cos z",
                        .dzbar = "0",
                        .vjp = "dz = conj(cos z) dw",
                        .jvp = "ẇ = cos z ż",
                        .derivation = "sin z = (e^{iz} - e^{-iz})/(2i); differentiating term by term gives (e^{iz} + e^{-iz})/2.",
                        .singular = "none; overflows to infinity where cosh(Im z) does",
                        .source = "Ahlfors, Complex Analysis, 2.3.2"},
                       [](OpCheck& check) {
                         const auto f = [](auto z) { return sin(z); };
                         check.function("real", f, check.real({3, 4}));
                         check.function("complex", f, check.complex({3, 4}));
                       });

template <Scalar T>
Var<T> sin(const Var<T>& z) {
  return record(
      sin_op, map_accurately(Sin(), z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_accurately(
            dz, [](auto v, auto g) -> decltype(conj_mul(Cos()(v), g)) { return conj_mul(Cos()(v), g); }, x, dw);
      },
      [&](const auto&) { return cos(z) * tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ cos

static const Op cos_op(
    {.name = "cos",
     .kind = Kind::Holomorphic,
     .equation = "w = cos z = cos x cosh y - i sin x sinh y",
     .dz = "-sin z",
     .dzbar = "0",
     .vjp = "dz = -conj(sin z) dw",
     .jvp = "ẇ = -sin z ż",
     .derivation = "cos z = (e^{iz} + e^{-iz})/2; differentiating term by term gives i(e^{iz} - e^{-iz})/2 = -sin z.",
     .singular = "none; overflows to infinity where cosh(Im z) does",
     .source = "Ahlfors, Complex Analysis, 2.3.2"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return cos(z); };
      check.function("real", f, check.real({3, 4}));
      check.function("complex", f, check.complex({3, 4}));
    });

template <Scalar T>
Var<T> cos(const Var<T>& z) {
  return record(
      cos_op, map_accurately(Cos(), z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_accurately(
            dz, [](auto v, auto g) -> decltype(conj_mul(-Sin()(v), g)) { return conj_mul(-Sin()(v), g); }, x, dw);
      },
      [&](const auto&) { return -sin(z) * tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ tanh

static const Op tanh_op(
    {.name = "tanh",
     .kind = Kind::Holomorphic,
     .equation = "w = tanh z = sinh z / cosh z",
     .dz = "1/cosh² z = 1 - w²",
     .dzbar = "0",
     .vjp = "dz = dw / conj(cosh² z)",
     .jvp = "ẇ = 4 σ(2z) σ(-2z) ż",
     .derivation = "(sinh/cosh)' = (cosh² - sinh²)/cosh² = 1/cosh². The input is saved, not the output: 1 - w² would cancel for "
                   "large |Re z|. The tangent must be built from ops: 2 cosh z = e^z + e^-z and σ(2z) = e^z/(e^z + e^-z), hence "
                   "1/cosh² z = 4 σ(2z) σ(-2z).",
     .singular = "poles at z = iπ(k + 1/2), which no floating-point number hits. No overflow for large |Re z|: w tends to ±1",
     .source = "Ahlfors, Complex Analysis, 2.3.2"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return tanh(z); };
      check.function("real", f, check.real({3, 4}));
      // The poles lie at ±1.57i, inside the disc of radius 1.8 of check.complex, so halve it.
      check.function("complex", f, map([](std::complex<double> z) { return 0.5 * z; }, check.complex({3, 4})));
      check.finite("large, real", f, Tensor<double>({4}, {1e30, -1e30, 100, -100}));
      check.finite("large, complex", f,
                   Tensor<std::complex<double>>({4}, {{1e30, 1}, {-1e30, 1e30}, {100, -2}, {-100, 1.5707963}}));
    });

template <Scalar T>
Var<T> tanh(const Var<T>& z) {
  using R = RealOf<T>;
  return record(
      tanh_op, evaluate([](auto v) { return tanh_of(v); }, z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        pull_back(
            dz, [](auto v) { return tanh_derivative(v); }, x, dw);
      },
      [&](const auto&) { return R(4) * sigmoid(R(2) * z) * sigmoid(R(-2) * z) * tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ sigmoid

static const Op sigmoid_op(
    {.name = "sigmoid",
     .kind = Kind::Holomorphic,
     .equation = "w = σ(z) = 1/(1 + e^-z)",
     .dz = "w (1 - w) = 1/(4 cosh²(z/2))",
     .dzbar = "0",
     .vjp = "dz = dw / conj(4 cosh²(z/2))",
     .jvp = "ẇ = w σ(-z) ż",
     .derivation = "w (1 + e^-z) = 1 gives w' (1 + e^-z) = w e^-z, so w' = w² e^-z = 1/(e^(z/2) + e^(-z/2))². The input is saved, "
                   "not the output: w (1 - w) would lose all digits where w is close to 1. Forward, 1 - w = σ(-z).",
     .singular = "poles at z = iπ(2k + 1), which no floating-point number hits. No overflow for large |Re z|: w tends to 0 or 1",
     .source = "definition"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return sigmoid(z); };
      check.function("real", f, check.real({3, 4}));
      check.function("complex", f, check.complex({3, 4}));
      check.finite("large, real", f, Tensor<double>({4}, {1e30, -1e30, 100, -100}));
      check.finite("large, complex", f,
                   Tensor<std::complex<double>>({4}, {{1e30, 1}, {-1e30, 1e30}, {100, -2}, {-100, 3.1415927}}));
    });

template <Scalar T>
Var<T> sigmoid(const Var<T>& z) {
  return record(
      sigmoid_op, evaluate([](auto v) { return logistic(v); }, z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        pull_back(
            dz, [](auto v) { return logistic_derivative(v); }, x, dw);
      },
      [&](const Var<T>& w) { return w * sigmoid(-z) * tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ erf

static const Op erf_op({.name = "erf",
                        .kind = Kind::Real,
                        .equation = "w = erf x = 2/√π ∫_0^x e^(-t²) dt",
                        .dz = "2/√π e^(-x²)",
                        .dzbar = "no complex input",
                        .vjp = "dx = 2/√π e^(-x²) dw",
                        .jvp = "ẇ = 2/√π e^(-x²) ẋ",
                        .derivation = "Fundamental theorem of calculus.",
                        .singular = "none",
                        .source = "Abramowitz and Stegun, 7.1.1"},
                       [](OpCheck& check) {
                         const auto f = [](auto x) { return erf(x); };
                         check.function("real", f, check.real({3, 4}));
                         check.finite("large", f, Tensor<double>({2}, {1e30, -1e30}));
                       });

template <RealScalar R>
Var<R> erf(const Var<R>& x) {
  return record(
      erf_op, map_packs([](auto v) { return math::erf(v); }, x.value()),
      [x = x.value(), dx = accumulator(x)](const Tensor<R>& dw) {
        accumulate_map(
            dx, [](auto v, auto g) { return erf_derivative(v) * g; }, x, dw);
      },
      [&](const auto&) { return R(2 * std::numbers::inv_sqrtpi_v<R>) * exp(-square(x)) * tangent(x); }, x);
}

#define ARGAND_TRIGONOMETRIC(T)        \
  template Var<T> sin(const Var<T>&);  \
  template Var<T> cos(const Var<T>&);  \
  template Var<T> tanh(const Var<T>&); \
  template Var<T> sigmoid(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_TRIGONOMETRIC)
template Var<float> erf(const Var<float>&);
template Var<double> erf(const Var<double>&);

}  // namespace argand
