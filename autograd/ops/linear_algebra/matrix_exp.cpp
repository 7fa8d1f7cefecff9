#include "autograd/ops/linear_algebra/matrix_exp.h"

#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "autograd/ops/linear_algebra/one_exponential.h"

namespace argand {

static const Op matrix_exp_op(
    {.name = "matrix_exp",
     .kind = Kind::Holomorphic,
     .equation = "W = e^A = Σ_k A^k/k!, batched",
     .dz = "in differential form, dW = ∫₀¹ e^{tA} (dA) e^{(1-t)A} dt",
     .dzbar = "0",
     .vjp = "dA = the upper right block of e^((Aᴴ, dW), (0, Aᴴ))",
     .jvp = "Ẇ = the upper right block of e^((A, Ȧ), (0, A))",
     .derivation = "A and Ȧ need not commute: along any direction (A^k)˙ = Σ_j A^j Ȧ A^{k-1-j}, which is the upper right block of "
                   "the k-th power of the block matrix B = ((A, Ȧ), (0, A)). The same holds for every power series: e^B has W on "
                   "its diagonal and Ẇ in its upper right block. Backward, Re tr(dWᴴ A^j Ȧ A^{k-1-j}) = Re tr(((Aᴴ)^j dW "
                   "(Aᴴ)^{k-1-j})ᴴ Ȧ), the same sum with Aᴴ for A and dW for Ȧ.",
     .singular = "none. For a triangular A the diagonal is e^{a_ii} and zeros stay 0; with entries up to 1e100, individual entries "
                 "of the gradient may lose four digits. Where e^A overflows, the result is infinite or NaN; a non-finite entry of "
                 "A makes the whole result NaN",
     .source = "Al-Mohy & Higham, SIAM J. Matrix Anal. Appl. 31 (2009), algorithm 5.1; Mathias, SIAM J. Matrix Anal. Appl. 17 "
               "(1996), theorem 2.1"},
    [](OpCheck& check) {
      const auto f = [](auto A) { return matrix_exp(A); };
      check.function("real", f, check.real({3, 3}));
      check.function("complex", f, check.complex({2, 3, 3}));
      check.function("real, nilpotent", f, Tensor<double>({3, 3}, {0, 1, 2, 0, 0, 3, 0, 0, 0}));
      check.function("real, triangular, far from normal", f, Tensor<double>({3, 3}, {-1, 1e3, 5, 0, -2, 1e3, 0, 0, -1}));
      check.function("real, the same transposed", f, Tensor<double>({3, 3}, {-1, 0, 0, 1e3, -2, 0, 5, 1e3, -1}));
      check.function("complex, scaled and squared", f, map([](auto a) { return 4.0 * a; }, check.complex({2, 2})));
      check.position_dependent();
      check.sizes("batch", [f](OpCheck& at, std::int64_t n) {
        at.function("real", f, at.real({matrices::batch_of(n), 2, 2}));
        at.function("complex", f, at.complex({matrices::batch_of(n), 2, 2}));
      });
      check.sizes(
          "size",
          [f](OpCheck& at, std::int64_t n) {
            at.function("complex", f, matrices::regular(at.complex({n, n})));
          },
          33);
    });

namespace {

template <Scalar T>
Tensor<T> exponentials(const Tensor<T>& A) {
  const matrices::Stack stack = matrices::square("matrix_exp", A.shape());
  const std::int64_t size = stack.n * stack.n;
  Tensor<T> W(A.shape());
  T* const out = W.data();
  matrices::each(stack, [&](std::int64_t i) {
    if (matrices::all_finite(A.data() + i * size, size))
      matrices::OneExponential<T>(stack.n, A.data() + i * size).write(out + i * size);
    else
      matrices::fill_with_nan(out + i * size, size);
  });
  return W;
}

/// The power of two that brings the largest element of x to 2^-10; 1 if x is zero or not finite. Results linear in x are computed
/// from x times this factor: they then scale exactly like x, need no extra squarings, and overflow only if e^A does.
template <Scalar T>
RealOf<T> to_small(const T* x, std::int64_t size) {
  RealOf<T> largest = 0;
  for (std::int64_t k = 0; k < size; ++k) largest = std::max(largest, static_cast<RealOf<T>>(std::abs(x[k])));
  if (!std::isfinite(largest) || largest == 0) return 1;
  return std::ldexp(RealOf<T>(1), -std::clamp(std::ilogb(largest) + 10, -100, 100));
}

/// The block matrix ((A, E), (0, A)) for variables.
template <Scalar T>
Var<T> blocks(const Var<T>& A, const Var<T>& E) {
  const Var<T> zeros(Tensor<T>::zeros(A.shape()));
  return concatenate(std::vector{concatenate(std::vector{A, E}, -1), concatenate(std::vector{zeros, A}, -1)}, -2);
}
template <Scalar T>
Var<T> upper_right(const Var<T>& W, std::int64_t n) {
  return slice(slice(W, -2, 0, n), -1, n, 2 * n);
}

}  // namespace

template <Scalar T>
Var<T> matrix_exp(const Var<T>& A) {
  const std::int64_t n = matrices::square("matrix_exp", A.shape()).n;
  return record(
      matrix_exp_op, exponentials(A.value()),
      [n, adjoint = matrices::adjoint_of(A.value()), dA = accumulator(A)](const Tensor<T>& dW) {
        if (!dA) return;
        const NoGrad none;
        const NoForward still;
        const matrices::Stack stack("matrix_exp", dW.shape());
        std::vector<RealOf<T>> scales;
        for (std::int64_t i = 0; i < stack.count; ++i) scales.push_back(to_small(dW.data() + i * n * n, n * n));
        const auto scale_of = [&](std::int64_t i) { return scales[static_cast<std::size_t>(i)]; };
        const Tensor<T> E = matrices::map_places(dW, [&](std::int64_t at, auto, auto, T g) { return g * scale_of(at); });
        const Tensor<T> g = upper_right(Var<T>(exponentials(blocks(Var<T>(adjoint), Var<T>(E)).value())), n).value();
        dA.add(matrices::map_places(g, [&](std::int64_t at, auto, auto, T x) { return x / scale_of(at); }));
      },
      [&](const Var<T>&) {
        const Var<T> dot = tangent(A);
        const RealOf<T> c = to_small(dot.value().data(), dot.size());
        return scale(upper_right(matrix_exp(blocks(A, scale(dot, c))), n), 1 / c);
      },
      A);
}

#define ARGAND_MATRIX_EXP(T) template Var<T> matrix_exp(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_MATRIX_EXP)

}  // namespace argand
