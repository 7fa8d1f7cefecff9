#include "autograd/ops/linear_algebra/solve.h"

#include <memory>

#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/lu_factors.h"

namespace argand {
// ------------------------------------------------------------------------------------------------ solve

static const Op solve_op(
    {.name = "solve",
     .kind = Kind::Holomorphic,
     .equation = "X = A⁻¹ B, batched",
     .dz = "in differential form, dX = A⁻¹ (dB) - A⁻¹ (dA) X",
     .dzbar = "0",
     .vjp = "dB = A⁻ᴴ dX, dA = -dB Xᴴ",
     .jvp = "Ẋ = A⁻¹ (Ḃ - Ȧ X)",
     .derivation =
         "Differentiating A X = B gives Ȧ X + A Ẋ = Ḃ, which gives the tangent. Re tr(dXᴴ A⁻¹ Ḃ) = Re tr((A⁻ᴴ dX)ᴴ Ḃ) gives dB, "
         "and then Re tr(dXᴴ (-A⁻¹ Ȧ X)) = -Re tr(dBᴴ Ȧ X) = Re tr((-dB Xᴴ)ᴴ Ȧ) gives dA: one adjoint solve with the same factors.",
     .singular = "det A = 0: throws",
     .source = "Giles, Collected matrix derivative results for forward and reverse mode AD (2008), 2.3.1"},
    [](OpCheck& check) {
      const auto f = [](auto A, auto B) { return solve(A, B); };
      check.function("real", f, matrices::regular(check.real({3, 3})), check.real({3, 2}));
      check.function("complex", f, matrices::regular(check.complex({3, 3})), check.complex({3, 2}));
      check.function("real, square", f, matrices::regular(check.real({2, 2})), matrices::regular(check.real({2, 2})));
      check.function("complex, one vector", f, matrices::regular(check.complex({3, 3})), check.complex({3}));
      check.function("complex, batch of vectors", f, matrices::regular(check.complex({2, 2, 2})), check.complex({2, 2}));
      check.function("complex, one matrix", f, matrices::regular(check.complex({2, 2})), check.complex({3, 2, 1}));
      check.function("real, broadcast", f, matrices::regular(check.real({2, 1, 2, 2})), check.real({3, 2, 1}));
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        at.function("real, batch", f, matrices::regular(at.real({matrices::batch_of(n), 2, 2})),
                    at.real({matrices::batch_of(n), 2, 1}));
        at.function("complex, batch", f, matrices::regular(at.complex({matrices::batch_of(n), 2, 2})),
                    at.complex({matrices::batch_of(n), 2, 1}));
        at.function("real, right-hand sides", f, matrices::regular(at.real({2, 2})), at.real({2, n}));
      });
      check.sizes(
          "size",
          [f](OpCheck& at, std::int64_t n) {
            at.function("real", f, matrices::regular(at.real({n, n})), at.real({n, 2}));
            at.function("complex", f, matrices::regular(at.complex({n, n})), at.complex({n, 2}));
          },
          67);
    });

namespace {

template <Scalar T>
Var<T> solve_matrices(const Var<T>& A, const Var<T>& B) {
  const auto factors = std::make_shared<const matrices::LuFactors<T>>("solve", A.value());
  factors->require_regular("solve");
  const Tensor<T> X = factors->solved(B.value(), false);
  return record(
      solve_op, X,
      [factors, X, dA = accumulator(A), dB = accumulator(B)](const Tensor<T>& dX) {
        const Tensor<T> g = factors->solved(dX, true);
        if (dA) dA.add(map([](T v) { return -v; }, matrices::product(g, X, Transpose::No, Transpose::Conjugate)));
        dB.add(g);
      },
      [&](const Var<T>& X) { return solve_matrices(A, tangent(B) - matmul(tangent(A), X)); }, A, B);
}

}  // namespace

template <Scalar T>
Var<T> solve(const Var<T>& A, const Var<T>& B) {
  matrices::square("solve", A.shape());
  if (A.rank() == 2 && B.rank() > 2 &&
      B.dim(-2) == A.dim(0)) {  // one matrix, factorized once for all right-hand sides side by side
    const std::int64_t n = A.dim(0), k = B.dim(-1), count = matrices::Stack::leading(B.shape()).size();
    const Var<T> columns = reshape(permute(reshape(B, Shape{count, n, k}), {1, 0, 2}), Shape{n, count * k});
    return reshape(permute(reshape(solve_matrices(A, columns), Shape{n, count, k}), {1, 0, 2}), B.shape());
  }
  const auto [matrix, right, vectors] = matrices::with_right_sides("solve", A, B);
  const Var<T> X = solve_matrices(matrix, right);
  return vectors ? matrices::without_last(X) : X;
}

// ------------------------------------------------------------------------------------------------ inv

static const Op inv_op(
    {.name = "inv",
     .kind = Kind::Holomorphic,
     .equation = "W = A⁻¹, batched",
     .dz = "in differential form, dW = -W (dA) W",
     .dzbar = "0",
     .vjp = "dA = -Wᴴ dW Wᴴ",
     .jvp = "Ẇ = -W Ȧ W",
     .derivation = "Differentiating A W = I gives Ȧ W + A Ẇ = 0, so Ẇ = -W Ȧ W, and Re tr(dWᴴ (-W Ȧ W)) = Re tr((-Wᴴ dW Wᴴ)ᴴ Ȧ).",
     .singular = "det A = 0: throws",
     .source = "Giles (2008), 2.2.3; Hjørungnes, Complex-Valued Matrix Derivatives, table 3.4"},
    [](OpCheck& check) {
      const auto f = [](auto A) { return inv(A); };
      check.function("real", f, matrices::regular(check.real({3, 3})));
      check.function("complex", f, matrices::regular(check.complex({2, 3, 3})));
      matrices::sizes_regular(check, f);
    });

template <Scalar T>
Var<T> inv(const Var<T>& A) {
  const matrices::LuFactors<T> factors("inv", A.value());
  factors.require_regular("inv");
  const Tensor<T> W = factors.inverse(false);
  return record(
      inv_op, W,
      [W, dA = accumulator(A)](const Tensor<T>& dW) {
        const Tensor<T> right = matrices::product(dW, W, Transpose::No, Transpose::Conjugate);
        dA.add(map([](T v) { return -v; }, matrices::product(W, right, Transpose::Conjugate)));
      },
      [&](const Var<T>& W) { return -matmul(W, matmul(tangent(A), W)); }, A);
}

#define ARGAND_SOLVE(T)                                \
  template Var<T> solve(const Var<T>&, const Var<T>&); \
  template Var<T> inv(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_SOLVE)

}  // namespace argand
