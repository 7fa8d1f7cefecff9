#include "autograd/ops/fourier/fourier.h"

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/fourier/axes.h"
#include "autograd/tape.h"

namespace argand {

using namespace transforms;

namespace {

/// P x, followed by the transform along every axis.
template <ComplexScalar T>
Tensor<T> transformed(Tensor<T> x, const Axes& along, FourierSign sign, double c) {
  for (std::size_t k = 0; k < along.axes.size(); ++k)
    x = fourier(of_length(x, along.axes[k], along.n[k]), along.axes[k], sign, k == 0 ? c : 1);
  return x;
}

/// c F P x, and dx = c Pᵀ Fᴴ dX.
template <ComplexScalar T>
Var<T> transform(const Op& op, const Var<T>& x, const Axes& along, bool inverse, FourierNorm norm) {
  double N = 1;
  for (const std::int64_t n : along.n) N *= static_cast<double>(n);
  const double c = factor_of(norm, inverse, N);
  const FourierSign sign = sign_of(inverse);
  return record(
      op, transformed(x.value(), along, sign, c),
      [=, shape = x.shape(), dx = accumulator(x)](const Tensor<T>& dX) {
        Tensor<T> g = transformed(dX, along, opposite(sign), c);
        for (const int axis : along.axes) g = of_length(g, axis, shape[axis]);
        dx.add(g);
      },
      [&](const Var<T>&) { return transform(op, tangent(x), along, inverse, norm); }, x);
}

template <Scalar T>
Var<ComplexOf<T>> as_complex_var(const Var<T>& x) {
  if constexpr (ComplexScalar<T>)
    return x;
  else
    return to_complex(x);
}

/// The check cases for fft and ifft.
template <class F>
void check_one_axis(OpCheck& check, const F& f) {
  for (const FourierNorm norm : every_norm)
    check.function(
        norm_word(norm), [=](auto x) { return f(x, std::nullopt, -1, norm); }, check.complex({2, 5}));
  check.function(
      "truncated", [=](auto x) { return f(x, 3, -1, FourierNorm::Backward); }, check.complex({2, 5}));
  check.function(
      "zero-padded", [=](auto x) { return f(x, 7, -1, FourierNorm::Ortho); }, check.complex({2, 5}));
  check.function(
      "another axis", [=](auto x) { return f(x, 4, 0, FourierNorm::Forward); }, check.complex({3, 2, 2}));
  check.position_dependent();
  check.sizes("", [=](OpCheck& at, std::int64_t n) {
    const auto last = [=](auto x) { return f(x, std::nullopt, -1, FourierNorm::Ortho); };
    at.function("length", last, at.complex({1, n}));
    at.function("rows", last, at.complex({n, 3}));
    at.function(
        "columns", [=](auto x) { return f(x, 5, 0, FourierNorm::Ortho); }, at.complex({3, n}));
  });
}

template <class F>
void check_axes(OpCheck& check, const F& f) {
  using Sizes = std::vector<std::int64_t>;
  using Which = std::vector<int>;
  for (const FourierNorm norm : every_norm)
    check.function(
        norm_word(norm), [=](auto x) { return f(x, Sizes{}, Which{}, norm); }, check.complex({2, 3}));
  check.function(
      "two of three axes, truncated and padded",
      [=](auto x) {
        return f(x, Sizes{2, 4}, Which{0, -1}, FourierNorm::Backward);
      },
      check.complex({3, 2, 2}));
  check.position_dependent();
  check.sizes("", [=](OpCheck& at, std::int64_t n) {
    at.function(
        "length", [=](auto x) { return f(x, Sizes{}, Which{}, FourierNorm::Ortho); }, at.complex({2, n}));
  });
}

}  // namespace

// ------------------------------------------------------------------------------------------------ fft, ifft

static const Op fft_op(
    {.name = "fft",
     .kind = Kind::Holomorphic,
     .equation = "X_k = c Σ_j w^{jk} x_j, w = e^{-2πi/n}, j, k = 0, ..., n-1; x truncated or zero-padded to length n",
     .dz = "∂X_k/∂x_j = c w^{jk}, 0 for a truncated j",
     .dzbar = "0",
     .vjp = "dx_j = c Σ_k w^{-jk} dX_k, truncated or zero-padded to the length of x",
     .jvp = "Ẋ = fft(ẋ)",
     .derivation = "X = c F P x is linear, F symmetric with entries w^{jk}, P the truncation or zero-padding: dx = (c F P)ᴴ dX = c "
                   "Pᵀ conj(F) dX. conj(w) = e^{+2πi/n}, so conj(F) is the unscaled inverse transform, n F⁻¹. Pᵀ pads where P "
                   "truncates and truncates where P pads. The tangent of a linear map is the map itself.",
     .singular = "none",
     .source = "Cooley & Tukey, Math. Comp. 19 (1965); Hjørungnes, Complex-Valued Matrix Derivatives, table 3.2"},
    [](OpCheck& check) {
      check_one_axis(check, [](auto x, auto n, int axis, FourierNorm norm) { return fft(x, n, axis, norm); });
    });

template <Scalar T>
Var<ComplexOf<T>> fft(const Var<T>& x, std::optional<std::int64_t> n, int axis, FourierNorm norm) {
  return transform(fft_op, as_complex_var(x), checked_axes("fft", x.shape(), one_length("fft", n), {axis}), false, norm);
}

static const Op ifft_op({.name = "ifft",
                         .kind = Kind::Holomorphic,
                         .equation = "x_j = c Σ_k w^{-jk} X_k, w = e^{-2πi/n}; X truncated or zero-padded to length n",
                         .dz = "∂x_j/∂X_k = c w^{-jk}, 0 for a truncated k",
                         .dzbar = "0",
                         .vjp = "dX_k = c Σ_j w^{jk} dx_j, truncated or zero-padded to the length of X",
                         .jvp = "ẋ = ifft(Ẋ)",
                         .derivation = "As for fft with conj(F) in place of F: dX = c Pᵀ F dx, the forward transform.",
                         .singular = "none",
                         .source = "Cooley & Tukey, Math. Comp. 19 (1965)"},
                        [](OpCheck& check) {
                          check_one_axis(check, [](auto x, auto n, int axis, FourierNorm norm) { return ifft(x, n, axis, norm); });
                        });

template <Scalar T>
Var<ComplexOf<T>> ifft(const Var<T>& x, std::optional<std::int64_t> n, int axis, FourierNorm norm) {
  return transform(ifft_op, as_complex_var(x), checked_axes("ifft", x.shape(), one_length("ifft", n), {axis}), true, norm);
}

// ------------------------------------------------------------------------------------------------ fftn, ifftn

static const Op fftn_op(
    {.name = "fftn",
     .kind = Kind::Holomorphic,
     .equation = "X = c F_1 F_2 ... x, a transform along each of several axes; c is the factor for the product of their lengths",
     .dz = "∂X_{kl...}/∂x_{jm...} = c w_1^{jk} w_2^{ml} ...",
     .dzbar = "0",
     .vjp = "dx = c conj(F_1) conj(F_2) ... dX, every axis truncated or zero-padded to its length in x",
     .jvp = "Ẋ = fftn(ẋ)",
     .derivation = "Transforms along different axes act on different indices, so they commute, and the adjoint of "
                   "their product is the product of the adjoints, each as in fft.",
     .singular = "none",
     .source = "Cooley & Tukey, Math. Comp. 19 (1965)"},
    [](OpCheck& check) {
      check_axes(check, [](auto x, const auto& n, const auto& axes, FourierNorm norm) { return fftn(x, n, axes, norm); });
    });

template <Scalar T>
Var<ComplexOf<T>> fftn(const Var<T>& x, const std::vector<std::int64_t>& n, const std::vector<int>& axes, FourierNorm norm) {
  return transform(fftn_op, as_complex_var(x), checked_axes("fftn", x.shape(), n, axes), false, norm);
}

static const Op ifftn_op({.name = "ifftn",
                          .kind = Kind::Holomorphic,
                          .equation = "x = c conj(F_1) conj(F_2) ... X, an inverse transform along each of several axes",
                          .dz = "∂x_{jm...}/∂X_{kl...} = c w_1^{-jk} w_2^{-ml} ...",
                          .dzbar = "0",
                          .vjp = "dX = c F_1 F_2 ... dx, every axis truncated or zero-padded to its length in X",
                          .jvp = "ẋ = ifftn(Ẋ)",
                          .derivation = "As for fftn with conj(F) in place of F.",
                          .singular = "none",
                          .source = "Cooley & Tukey, Math. Comp. 19 (1965)"},
                         [](OpCheck& check) {
                           check_axes(check, [](auto x, const auto& n, const auto& axes, FourierNorm norm) {
                             return ifftn(x, n, axes, norm);
                           });
                         });

template <Scalar T>
Var<ComplexOf<T>> ifftn(const Var<T>& x, const std::vector<std::int64_t>& n, const std::vector<int>& axes, FourierNorm norm) {
  return transform(ifftn_op, as_complex_var(x), checked_axes("ifftn", x.shape(), n, axes), true, norm);
}

#define ARGAND_FOURIER_OPS(T)                                                                                             \
  template Var<ComplexOf<T>> fft(const Var<T>&, std::optional<std::int64_t>, int, FourierNorm);                           \
  template Var<ComplexOf<T>> ifft(const Var<T>&, std::optional<std::int64_t>, int, FourierNorm);                          \
  template Var<ComplexOf<T>> fftn(const Var<T>&, const std::vector<std::int64_t>&, const std::vector<int>&, FourierNorm); \
  template Var<ComplexOf<T>> ifftn(const Var<T>&, const std::vector<std::int64_t>&, const std::vector<int>&, FourierNorm);
ARGAND_FOR_SCALAR(ARGAND_FOURIER_OPS)

}  // namespace argand
