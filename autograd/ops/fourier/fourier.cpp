#include "autograd/ops/fourier/fourier.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/tape.h"
#include "core/fourier.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// x, an axis of it cut or filled up with zeros to n numbers: P. Its adjoint Pᵀ is the same the other way round.
template <Scalar T>
Tensor<T> of_length(const Tensor<T>& x, int axis, std::int64_t n) {
  if (x.dim(axis) == n) return x;
  Shape shape = x.shape();
  shape[axis] = n;
  Tensor<T> y = Tensor<T>::zeros(shape);
  const AxisView from(x.shape(), axis), to(shape, axis);
  const std::int64_t kept = std::min(from.n, n) * from.inner;
  T* const out = y.data();
  parallel_for(from.outer, row_grain(kept), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t o = begin; o < end; ++o) std::copy_n(x.data() + o * from.n * from.inner, kept, out + o * n * from.inner);
  });
  return y;
}

/// c of a transform of N numbers in all.
double factor_of(FourierNorm norm, bool inverse, double N) {
  if (norm == FourierNorm::Ortho) return 1 / std::sqrt(N);
  return (norm == FourierNorm::Backward) == inverse ? 1 / N : 1;
}

FourierSign sign_of(bool inverse) { return inverse ? FourierSign::Plus : FourierSign::Minus; }
FourierSign back(FourierSign sign) { return sign == FourierSign::Minus ? FourierSign::Plus : FourierSign::Minus; }

/// Along which axes, and how long each.
struct Axes {
  std::vector<int> axes;
  std::vector<std::int64_t> n;
};

Axes checked_axes(std::string_view op, const Shape& shape, std::vector<std::int64_t> n, std::vector<int> axes) {
  const auto rank = static_cast<std::size_t>(shape.rank());
  if (axes.empty()) {
    require(n.size() <= rank, op, "{} lengths for the {} axes of {}", n.size(), rank, shape);
    axes.resize(n.empty() ? rank : n.size());
    std::iota(axes.begin(), axes.end(), static_cast<int>(rank - axes.size()));
  }
  n.resize(n.empty() ? axes.size() : n.size(), -1);
  require(n.size() == axes.size(), op, "{} lengths for {} axes; give one for each", n.size(), axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    axes[k] = shape.checked(axes[k]);
    require(std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(k), axes[k]) ==
                axes.begin() + static_cast<std::ptrdiff_t>(k),
            op, "axis {} is named twice", axes[k]);
    if (n[k] == -1) n[k] = shape[axes[k]];
    require(n[k] >= 1, op, "a length of {} along axis {} of {}; there must be a number to transform", n[k], axes[k], shape);
  }
  return {std::move(axes), std::move(n)};
}

/// P x and then the transform along every axis.
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
      [=, shape = x.shape(), dx = sink(x)](const Tensor<T>& dX) {
        Tensor<T> g = transformed(dX, along, back(sign), c);
        for (const int axis : along.axes) g = of_length(g, axis, shape[axis]);
        dx.add(g);
      },
      [&](const Var<T>&) { return transform(op, tangent(x), along, inverse, norm); }, x);
}

/// Of the half spectrum of a real sequence of n numbers: c X_k, and the real part alone of those that are their own partners,
/// X_{n-k} = conj(X_k), k = 0 and n/2.
template <ComplexScalar T>
Tensor<T> half_spectrum(const Tensor<T>& X, int axis, std::int64_t n, RealOf<T> c) {
  const AxisView view(X.shape(), axis);
  Tensor<T> Y(X.shape());
  T* const out = Y.data();
  parallel_for(view.outer * view.n, row_grain(view.inner), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t k = row % view.n;
      const bool own_partner = k == 0 || 2 * k == n;
      for (std::int64_t i = row * view.inner; i < (row + 1) * view.inner; ++i)
        out[i] = own_partner ? T(X.data()[i].real(), 0) : mul(c, X.data()[i]);
    }
  });
  return Y;
}

template <Scalar T>
Var<ComplexOf<T>> as_complex_var(const Var<T>& x) {
  if constexpr (ComplexScalar<T>)
    return x;
  else
    return to_complex(x);
}

std::vector<std::int64_t> one_length(std::string_view op, std::optional<std::int64_t> n) {
  require(!n || *n >= 1, op, "a length of {}; there must be a number to transform", n.value_or(0));
  return n ? std::vector{*n} : std::vector<std::int64_t>{};
}

constexpr auto every_norm = {FourierNorm::Backward, FourierNorm::Ortho, FourierNorm::Forward};
constexpr const char* norm_word(FourierNorm norm) {
  return norm == FourierNorm::Backward ? "backward" : norm == FourierNorm::Ortho ? "ortho" : "forward";
}

/// The cases of fft and ifft.
template <class F>
void check_one_axis(OpCheck& check, const F& f) {
  for (const FourierNorm norm : every_norm)
    check.function(
        norm_word(norm), [=](auto x) { return f(x, std::nullopt, -1, norm); }, check.complex({2, 5}));
  check.function(
      "cut", [=](auto x) { return f(x, 3, -1, FourierNorm::Backward); }, check.complex({2, 5}));
  check.function(
      "filled up", [=](auto x) { return f(x, 7, -1, FourierNorm::Ortho); }, check.complex({2, 5}));
  check.function(
      "another axis", [=](auto x) { return f(x, 4, 0, FourierNorm::Forward); }, check.complex({3, 2, 2}));
  check.places_matter();
  check.grows("", [=](OpCheck& at, std::int64_t n) {
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
      "two of three axes, cut and filled up",
      [=](auto x) {
        return f(x, Sizes{2, 4}, Which{0, -1}, FourierNorm::Backward);
      },
      check.complex({3, 2, 2}));
  check.places_matter();
  check.grows("", [=](OpCheck& at, std::int64_t n) {
    at.function(
        "length", [=](auto x) { return f(x, Sizes{}, Which{}, FourierNorm::Ortho); }, at.complex({2, n}));
  });
}

}  // namespace

// ------------------------------------------------------------------------------------------------ fft, ifft

static const Op fft_op(
    {.name = "fft",
     .kind = Kind::Holomorphic,
     .equation = "X_k = c Σ_j w^{jk} x_j, w = e^{-2πi/n}, j, k = 0, ..., n-1; x cut or filled up with zeros to n",
     .dz = "∂X_k/∂x_j = c w^{jk}, 0 for a j that was cut",
     .dzbar = "0",
     .vjp = "dx_j = c Σ_k w^{-jk} dX_k, cut or filled up with zeros to the length of x",
     .jvp = "Ẋ = fft(ẋ)",
     .derivation = "X = c F P x is linear, F symmetric with the elements w^{jk}, P the cutting or filling up: "
                   "dx = (c F P)ᴴ dX = c Pᵀ conj(F) dX. conj(w) = e^{+2πi/n}, so conj(F) is the inverse transform "
                   "without its factor: n F⁻¹. Pᵀ fills up what P cut and cuts what P filled up. The tangent of a "
                   "linear map is the map.",
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
                         .equation = "x_j = c Σ_k w^{-jk} X_k, w = e^{-2πi/n}; X cut or filled up with zeros to n",
                         .dz = "∂x_j/∂X_k = c w^{-jk}, 0 for a k that was cut",
                         .dzbar = "0",
                         .vjp = "dX_k = c Σ_j w^{jk} dx_j, cut or filled up with zeros to the length of X",
                         .jvp = "ẋ = ifft(Ẋ)",
                         .derivation = "As fft with conj(F) for F: dX = c Pᵀ F dx, the transform itself.",
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
     .equation = "X = c F_1 F_2 ... x, a transform along each of several axes; c of all their lengths together",
     .dz = "∂X_{kl...}/∂x_{jm...} = c w_1^{jk} w_2^{ml} ...",
     .dzbar = "0",
     .vjp = "dx = c conj(F_1) conj(F_2) ... dX, every axis cut or filled up to its length in x",
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
                          .vjp = "dX = c F_1 F_2 ... dx, every axis cut or filled up to its length in X",
                          .jvp = "ẋ = ifftn(Ẋ)",
                          .derivation = "As fftn with conj(F) for F.",
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

// ------------------------------------------------------------------------------------------------ rfft

static const Op rfft_op(
    {.name = "rfft",
     .kind = Kind::Real,
     .equation = "X_k = c Σ_j w^{jk} x_j of a real x, w = e^{-2πi/n}, for k = 0, ..., ⌊n/2⌋ only",
     .dz = "∂X_k/∂x_j = c w^{jk}, 0 for a j that was cut",
     .dzbar = "no complex input",
     .vjp = "dx_j = Re c Σ_k w^{-jk} dX_k over k = 0, ..., ⌊n/2⌋, cut or filled up to the length of x",
     .jvp = "Ẋ = rfft(ẋ)",
     .derivation = "L depends on x_j by X_0, ..., X_{⌊n/2⌋} alone, so ∂L/∂x_j = Σ_k Re(conj(∂X_k/∂x_j) dX_k): the "
                   "inverse transform of dX filled up with zeros, and not with its conjugates. Each k counts once, "
                   "k = 0 and n/2 like the others; doubling the middle ones, as irfft does, would be the gradient of "
                   "a loss that sees the other half as well.",
     .singular = "none",
     .source = "definition; Sorensen et al., IEEE Trans. ASSP 35 (1987)"},
    [](OpCheck& check) {
      const auto f = [](std::optional<std::int64_t> n, int axis, FourierNorm norm) {
        return [=](auto x) { return rfft(x, n, axis, norm); };
      };
      for (const FourierNorm norm : every_norm) {
        check.function(fmt::format("{}, odd", norm_word(norm)), f({}, -1, norm), check.real({2, 5}));
        check.function(fmt::format("{}, even", norm_word(norm)), f({}, -1, norm), check.real({2, 6}));
      }
      check.function("cut", f(3, -1, FourierNorm::Backward), check.real({2, 5}));
      check.function("filled up", f(8, -1, FourierNorm::Ortho), check.real({2, 5}));
      check.function("another axis", f(4, 0, FourierNorm::Forward), check.real({3, 2, 2}));
      check.places_matter();
      check.grows("", [=](OpCheck& at, std::int64_t n) {
        at.function("length", f({}, -1, FourierNorm::Ortho), at.real({1, n}));
        at.function("rows", f({}, -1, FourierNorm::Ortho), at.real({n, 4}));
      });
    });

template <RealScalar R>
Var<std::complex<R>> rfft(const Var<R>& x, std::optional<std::int64_t> length, int axis, FourierNorm norm) {
  using T = std::complex<R>;
  const Axes along = checked_axes("rfft", x.shape(), one_length("rfft", length), {axis});
  axis = along.axes[0];
  const std::int64_t n = along.n[0];
  const double c = factor_of(norm, false, static_cast<double>(n));
  const Tensor<T> z = map([](R v) { return T(v, 0); }, of_length(x.value(), axis, n));
  return record(
      rfft_op, of_length(fourier(z, axis, FourierSign::Minus, c), axis, n / 2 + 1),
      [=, N = x.dim(axis), dx = sink(x)](const Tensor<T>& dX) {
        const Tensor<T> g = fourier(of_length(half_spectrum(dX, axis, n, R(1)), axis, n), axis, FourierSign::Plus, c);
        dx.add(of_length(map([](T v) { return v.real(); }, g), axis, N));
      },
      [&](const Var<T>&) { return rfft(tangent(x), length, axis, norm); }, x);
}

// ------------------------------------------------------------------------------------------------ irfft

static const Op irfft_op(
    {.name = "irfft",
     .kind = Kind::RealValued,
     .equation = "x_j = c Σ_k m_k Re(w^{-jk} X_k), k = 0, ..., ⌊n/2⌋, w = e^{-2πi/n}, m_k = 1 for k = 0 and k = n/2, otherwise 2",
     .dz =
         "∂x_j/∂X_k = c m_k w^{-jk}/2; for k = 0 and n/2, whose imaginary parts are not read, c w^{-jk} ∂Re X_k/∂X_k = c w^{-jk}/2",
     .dzbar = "its conjugate",
     .vjp = "dX_k = c m_k Σ_j w^{jk} dx_j, real for k = 0 and n/2; cut or filled up to the length of X",
     .jvp = "ẋ = irfft(Ẋ)",
     .derivation =
         "A real x has X_{n-k} = conj(X_k), so the inverse transform adds to each w^{-jk} X_k its conjugate: 2 Re. Those that "
         "are their own partners, k = 0 and, for even n, k = n/2, come once, and of them only the real part: m_k = 1. An odd n "
         "has no n/2, and all but k = 0 are doubled. Real-linear in X_k = a + ib: ∂L/∂a + i ∂L/∂b = c m_k Σ_j dx_j (cos φ - "
         "i sin φ), φ = 2πjk/n, which is c m_k times rfft(dx)_k; where φ is a multiple of π it is real, as it must be.",
     .singular = "none",
     .source = "definition; Sorensen et al., IEEE Trans. ASSP 35 (1987)"},
    [](OpCheck& check) {
      const auto f = [](std::optional<std::int64_t> n, int axis, FourierNorm norm) {
        return [=](auto X) { return irfft(X, n, axis, norm); };
      };
      for (const FourierNorm norm : every_norm) {
        check.function(fmt::format("{}, even", norm_word(norm)), f({}, -1, norm), check.complex({2, 4}));
        check.function(fmt::format("{}, odd", norm_word(norm)), f(7, -1, norm), check.complex({2, 4}));
      }
      check.function("cut", f(4, -1, FourierNorm::Backward), check.complex({2, 5}));
      check.function("cut, odd", f(5, -1, FourierNorm::Ortho), check.complex({2, 5}));
      check.function("filled up", f(9, -1, FourierNorm::Backward), check.complex({2, 3}));
      check.function("one number", f(1, -1, FourierNorm::Backward), check.complex({2, 3}));
      check.function("another axis", f(4, 0, FourierNorm::Forward), check.complex({3, 2, 2}));
      check.places_matter();
      check.grows("", [=](OpCheck& at, std::int64_t n) {
        at.function("length", f(n, -1, FourierNorm::Ortho), at.complex({1, n / 2 + 1}));
        at.function("rows", f(5, -1, FourierNorm::Ortho), at.complex({n, 3}));
      });
    });

template <RealScalar R>
Var<R> irfft(const Var<std::complex<R>>& X, std::optional<std::int64_t> length, int axis, FourierNorm norm) {
  using T = std::complex<R>;
  axis = X.shape().checked(axis);
  const std::int64_t n = length.value_or(2 * (X.dim(axis) - 1));
  require(n >= 1, "irfft", "a length of {} along axis {} of {}; there must be a number to transform", n, axis, X.shape());
  const double c = factor_of(norm, true, static_cast<double>(n));
  const Tensor<T> half = half_spectrum(of_length(X.value(), axis, n / 2 + 1), axis, n, R(2));
  const Tensor<T> x = fourier(of_length(half, axis, n), axis, FourierSign::Plus, c);
  return record(
      irfft_op, map([](T v) { return v.real(); }, x),
      [=, N = X.dim(axis), dX = sink(X)](const Tensor<R>& dx) {
        const Tensor<T> g = fourier(map([](R v) { return T(v, 0); }, dx), axis, FourierSign::Minus, c);
        dX.add(of_length(half_spectrum(of_length(g, axis, n / 2 + 1), axis, n, R(2)), axis, N));
      },
      [&](const Var<R>&) { return irfft(tangent(X), length, axis, norm); }, X);
}

#define ARGAND_FOURIER_OPS(T)                                                                                             \
  template Var<ComplexOf<T>> fft(const Var<T>&, std::optional<std::int64_t>, int, FourierNorm);                           \
  template Var<ComplexOf<T>> ifft(const Var<T>&, std::optional<std::int64_t>, int, FourierNorm);                          \
  template Var<ComplexOf<T>> fftn(const Var<T>&, const std::vector<std::int64_t>&, const std::vector<int>&, FourierNorm); \
  template Var<ComplexOf<T>> ifftn(const Var<T>&, const std::vector<std::int64_t>&, const std::vector<int>&, FourierNorm);
ARGAND_FOR_SCALAR(ARGAND_FOURIER_OPS)

#define ARGAND_REAL_FOURIER_OPS(R)                                                                  \
  template Var<std::complex<R>> rfft(const Var<R>&, std::optional<std::int64_t>, int, FourierNorm); \
  template Var<R> irfft(const Var<std::complex<R>>&, std::optional<std::int64_t>, int, FourierNorm);
ARGAND_FOR_REAL(ARGAND_REAL_FOURIER_OPS)

}  // namespace argand
