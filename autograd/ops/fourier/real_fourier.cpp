#include "autograd/op_check.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/fourier/axes.h"
#include "autograd/ops/own_name.h"
#include "autograd/tape.h"

namespace argand {

using namespace transforms;

namespace {

/// The half spectrum of a real sequence of length n: c X_k, but only its real part for k = 0 and n/2, whose partner under X_{n-k}
/// = conj(X_k) is X_k itself.
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

}  // namespace

// ------------------------------------------------------------------------------------------------ rfft

static const Op rfft_op(
    {.name = "rfft",
     .kind = Kind::Real,
     .equation = "X_k = c Σ_j w^{jk} x_j of a real x, w = e^{-2πi/n}, for k = 0, ..., ⌊n/2⌋ only",
     .dz = "∂X_k/∂x_j = c w^{jk}, 0 for a truncated j",
     .dzbar = "no complex input",
     .vjp = "dx_j = Re c Σ_k w^{-jk} dX_k over k = 0, ..., ⌊n/2⌋, truncated or zero-padded to the length of x",
     .jvp = "Ẋ = rfft(ẋ)",
     .derivation =
         "L depends on x_j only through X_0, ..., X_{⌊n/2⌋}, so ∂L/∂x_j = Σ_k Re(conj(∂X_k/∂x_j) dX_k): the inverse transform of "
         "dX padded with zeros, not with its conjugates. Each k counts once, k = 0 and n/2 like the others; doubling the middle "
         "ones, as irfft does, would give the gradient of a loss that also depends on the other half.",
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
      check.function("truncated", f(3, -1, FourierNorm::Backward), check.real({2, 5}));
      check.function("zero-padded", f(8, -1, FourierNorm::Ortho), check.real({2, 5}));
      check.function("another axis", f(4, 0, FourierNorm::Forward), check.real({3, 2, 2}));
      check.position_dependent();
      check.sizes("", [=](OpCheck& at, std::int64_t n) {
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
      [=, N = x.dim(axis), dx = accumulator(x)](const Tensor<T>& dX) {
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
     .vjp = "dX_k = c m_k Σ_j w^{jk} dx_j, real for k = 0 and n/2; truncated or zero-padded to the length of X",
     .jvp = "ẋ = irfft(Ẋ)",
     .derivation = "A real x has X_{n-k} = conj(X_k), so the inverse transform adds to each w^{-jk} X_k its conjugate: 2 Re. The "
                   "terms that are their own partners, k = 0 and, for even n, k = n/2, occur once and contribute only their real "
                   "part: m_k = 1. For odd n there is no n/2, and all but k = 0 are doubled. Real-linear in X_k = a + ib: ∂L/∂a + "
                   "i ∂L/∂b = c m_k Σ_j dx_j (cos φ - i sin φ), φ = 2πjk/n, which is c m_k times rfft(dx)_k; for k = 0 and n/2, φ "
                   "is a multiple of π and the sum is real, as it must be.",
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
      check.function("truncated", f(4, -1, FourierNorm::Backward), check.complex({2, 5}));
      check.function("truncated, odd", f(5, -1, FourierNorm::Ortho), check.complex({2, 5}));
      check.function("zero-padded", f(9, -1, FourierNorm::Backward), check.complex({2, 3}));
      check.function("one number", f(1, -1, FourierNorm::Backward), check.complex({2, 3}));
      check.function("another axis", f(4, 0, FourierNorm::Forward), check.complex({3, 2, 2}));
      check.position_dependent();
      check.sizes("", [=](OpCheck& at, std::int64_t n) {
        at.function("length", f(n, -1, FourierNorm::Ortho), at.complex({1, n / 2 + 1}));
        at.function("rows", f(5, -1, FourierNorm::Ortho), at.complex({n, 3}));
      });
    });

template <RealScalar R>
Var<R> irfft(const Var<std::complex<R>>& X, std::optional<std::int64_t> length, int axis, FourierNorm norm) {
  using T = std::complex<R>;
  require_axis("irfft", X.shape(), axis);
  axis = X.shape().checked(axis);
  const std::int64_t n = length.value_or(2 * (X.dim(axis) - 1));
  require(n >= 1, "irfft", "length must be at least 1, got {} along axis {} of {}", n, axis, X.shape());
  const double c = factor_of(norm, true, static_cast<double>(n));
  const Tensor<T> half = half_spectrum(of_length(X.value(), axis, n / 2 + 1), axis, n, R(2));
  const Tensor<T> x = fourier(of_length(half, axis, n), axis, FourierSign::Plus, c);
  return record(
      irfft_op, map([](T v) { return v.real(); }, x),
      [=, N = X.dim(axis), dX = accumulator(X)](const Tensor<R>& dx) {
        const Tensor<T> g = fourier(map([](R v) { return T(v, 0); }, dx), axis, FourierSign::Minus, c);
        dX.add(of_length(half_spectrum(of_length(g, axis, n / 2 + 1), axis, n, R(2)), axis, N));
      },
      [&](const Var<R>&) { return irfft(tangent(X), length, axis, norm); }, X);
}

// ------------------------------------------------------------------------------------------------ rfftn, irfftn

template <RealScalar R>
Var<std::complex<R>> rfftn(const Var<R>& x, const std::vector<std::int64_t>& n, const std::vector<int>& axes, FourierNorm norm) {
  Axes along = checked_axes("rfftn", x.shape(), n, axes);
  const Var<std::complex<R>> X = rfft(x, along.n.back(), along.axes.back(), norm);
  along.n.pop_back(), along.axes.pop_back();
  return along.axes.empty() ? X : fftn(X, along.n, along.axes, norm);
}

template <RealScalar R>
Var<R> irfftn(const Var<std::complex<R>>& X, const std::vector<std::int64_t>& n, const std::vector<int>& axes, FourierNorm norm) {
  Axes along = checked_axes("irfftn", X.shape(), n, axes);
  const int last = along.axes.back();
  const std::optional<std::int64_t> length = n.empty() || n.back() == -1 ? std::nullopt : std::optional(n.back());
  along.n.pop_back(), along.axes.pop_back();
  return irfft(along.axes.empty() ? X : ifftn(X, along.n, along.axes, norm), length, last, norm);
}

#define ARGAND_REAL_FOURIER_OPS(R)                                                                                            \
  template Var<std::complex<R>> rfft(const Var<R>&, std::optional<std::int64_t>, int, FourierNorm);                           \
  template Var<R> irfft(const Var<std::complex<R>>&, std::optional<std::int64_t>, int, FourierNorm);                          \
  template Var<std::complex<R>> rfftn(const Var<R>&, const std::vector<std::int64_t>&, const std::vector<int>&, FourierNorm); \
  template Var<R> irfftn(const Var<std::complex<R>>&, const std::vector<std::int64_t>&, const std::vector<int>&, FourierNorm);
ARGAND_FOR_REAL(ARGAND_REAL_FOURIER_OPS)

}  // namespace argand
