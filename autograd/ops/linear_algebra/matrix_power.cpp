#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "autograd/ops/linear_algebra/matrix_functions.h"
#include "autograd/ops/linear_algebra/solve.h"

namespace argand {

static const Op matrix_power_op(
    {.name = "matrix_power",
     .kind = Kind::Holomorphic,
     .equation = "W = A^p, p an integer, batched; A^{-p} = (A⁻¹)^p",
     .dz = "in differential form, dW = Σ_{i < p} A^i (dA) A^{p-1-i}; for -p the same with A⁻¹ for A, and d(A⁻¹) = -A⁻¹ (dA) A⁻¹",
     .dzbar = "0",
     .vjp = "dA = Σ_{i < p} (Aᴴ)^i dW (Aᴴ)^{p-1-i}; for -p this is dX of X = A⁻¹, and dA = -Xᴴ dX Xᴴ",
     .jvp = "Ẇ = Σ_{i < p} A^i Ȧ A^{p-1-i}; for -p the same with X = A⁻¹ for A, and Ẋ = -X Ȧ X",
     .derivation =
         "The product rule, one term for each of the p factors; A and Ȧ need not commute. The sum is not formed term by term but "
         "by repeated squaring: W = U² gives Ẇ = U̇ U + U U̇, and W = U A gives Ẇ = U̇ A + U Ȧ; each binary digit of p after the "
         "first costs a squaring, and a 1 also a product with A. Backward, in reverse order: a square gives dU = Uᴴ dW + dW Uᴴ; a "
         "product gives dU = dW Aᴴ and dA += Uᴴ dW. For -p, A X = I gives Ȧ X + A Ẋ = 0.",
     .singular = "p < 0: throws if A is singular; a NaN makes the whole result NaN. p > 0: NaN and ±inf spread as in any matrix "
                 "product (∞ · 0 is NaN): to their row and column for p = 2, and to every entry for p >= 3",
     .source = "Higham, Functions of Matrices (2008), 4.1 (repeated squaring) and 3.2 (derivative of a power)"},
    [](OpCheck& check) {
      const auto f = [](std::int64_t p) { return [p](auto A) { return matrix_power(A, p); }; };
      check.function("complex, p = 1", f(1), check.complex({2, 2}));
      check.function("real, p = 2", f(2), check.real({3, 3}));
      check.function("complex, p = 7", f(7), matrices::regular(check.complex({2, 3, 3})));
      check.function("real, p = -1", f(-1), matrices::regular(check.real({3, 3})));
      check.function("complex, p = -6", f(-6), matrices::regular(check.complex({3, 3})));
      check.function("real, nilpotent, p = 2", f(2), Tensor<double>({3, 3}, {0, 1, 2, 0, 0, 3, 0, 0, 0}));
      check.function("real, p = 0", f(0), check.real({2, 2}));
      matrices::sizes_regular(check, f(3));
    });

namespace {

/// Whether each step of repeated squaring also multiplies by A: the binary digits of p after the first.
std::vector<bool> digits_of(std::uint64_t p) {
  std::vector<bool> digits;
  for (; p > 1; p /= 2) digits.insert(digits.begin(), p % 2 == 1);
  return digits;
}

/// All intermediate powers for p > 0, starting with A itself.
template <Scalar T>
std::vector<Tensor<T>> powers(const Tensor<T>& A, const std::vector<bool>& digits) {
  std::vector<Tensor<T>> W{A};
  for (const bool odd : digits) {
    W.push_back(matrices::product(W.back(), W.back()));
    if (odd) W.push_back(matrices::product(W.back(), A));
  }
  return W;
}

/// dA from the gradient g of the last of these powers.
template <Scalar T>
Tensor<T> power_gradient(const std::vector<Tensor<T>>& W, const std::vector<bool>& digits, Tensor<T> g) {
  Tensor<T> dA = Tensor<T>::zeros(g.shape());
  std::size_t at = W.size() - 1;  // g is the gradient of W[at]
  for (std::size_t k = digits.size(); k-- > 0;) {
    if (digits[k]) {
      --at;
      dA.add(matrices::product(W[at], g, Transpose::Conjugate));
      g = matrices::product(g, W[0], Transpose::No, Transpose::Conjugate);
    }
    --at;
    Tensor<T> both = matrices::product(W[at], g, Transpose::Conjugate);
    both.add(matrices::product(g, W[at], Transpose::No, Transpose::Conjugate));
    g = both;
  }
  dA.add(g);
  return dA;
}

template <Scalar T>
Var<T> power_tangent(const Var<T>& A, const Var<T>& dot, const std::vector<bool>& digits) {
  Var<T> W = A, W_dot = dot;
  for (const bool odd : digits) {
    W_dot = matmul(W_dot, W) + matmul(W, W_dot);
    W = matmul(W, W);
    if (!odd) continue;
    W_dot = matmul(W_dot, A) + matmul(W, dot);
    W = matmul(W, A);
  }
  return W_dot;
}

}  // namespace

template <Scalar T>
Var<T> matrix_power(const Var<T>& A, std::int64_t p) {
  matrices::square("matrix_power", A.shape());
  if (p == 0) {
    const auto identity = [](std::int64_t, std::int64_t i, std::int64_t j, T) { return T(i == j); };
    return record(
        matrix_power_op, matrices::map_places(A.value(), identity),
        [dA = accumulator(A)](const Tensor<T>& dW) { dA.add(Tensor<T>::zeros(dW.shape())); },
        [&](const Var<T>& W) { return Var<T>(Tensor<T>::zeros(W.shape())); }, A);
  }
  Tensor<T> X = A.value();
  if (p < 0) {
    const matrices::LuFactors<T> factors("matrix_power", X);
    factors.require_regular("matrix_power");
    X = factors.inverse(false);
  }
  const std::vector<bool> digits = digits_of(p < 0 ? -static_cast<std::uint64_t>(p) : static_cast<std::uint64_t>(p));
  const std::vector<Tensor<T>> W = powers(X, digits);
  return record(
      matrix_power_op, W.back(),
      [=, dA = accumulator(A)](const Tensor<T>& dW) {
        if (!dA) return;
        const Tensor<T> dX = power_gradient(W, digits, dW);
        if (p > 0) return dA.add(dX);
        const Tensor<T> g =
            matrices::product(matrices::product(W[0], dX, Transpose::Conjugate), W[0], Transpose::No, Transpose::Conjugate);
        dA.add(map([](T x) { return -x; }, g));
      },
      [&](const Var<T>&) {
        if (p > 0) return power_tangent(A, tangent(A), digits);
        const Var<T> inverse = inv(A);
        return power_tangent(inverse, scale(matmul(matmul(inverse, tangent(A)), inverse), RealOf<T>(-1)), digits);
      },
      A);
}

#define ARGAND_MATRIX_POWER(T) template Var<T> matrix_power(const Var<T>&, std::int64_t);
ARGAND_FOR_SCALAR(ARGAND_MATRIX_POWER)

}  // namespace argand
