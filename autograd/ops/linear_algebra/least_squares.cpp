#include "autograd/ops/linear_algebra/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/matrices.h"
#include "core/machine/lapack.h"

namespace argand {
namespace {

/// A full-rank matrix: 2 on the diagonal, plus a small multiple of A.
template <Scalar T>
Tensor<T> of_full_rank(Tensor<T> A) {
  const std::int64_t m = A.dim(-2), n = A.dim(-1);
  for (std::int64_t k = 0; k < A.size(); ++k) {
    A.data()[k] = A.data()[k] * RealOf<T>(0.4) / std::sqrt(RealOf<T>(std::max(m, n)));
    if (k / n % m == k % n) A.data()[k] += T(2);
  }
  return A;
}

}  // namespace

static const Op lstsq_op(
    {.name = "lstsq",
     .kind = Kind::General,
     .equation = "X = A⁺ B, batched: A = U S Vᴴ, A⁺ = V S⁺ Uᴴ, s⁺ = 1/s, or 0 if s counts as 0",
     .dz = "in differential form, dX = A⁺ (dB - (dA) X) + A⁺ A⁺ᴴ (dA)ᴴ (B - A X) + (I - A⁺A) (dA)ᴴ A⁺ᴴ X",
     .dzbar = "the terms with (dA)ᴴ: the first vanishes if A X = B, the second if the columns of A are independent",
     .vjp = "dB = A⁺ᴴ dX, dA = -dB Xᴴ + (B - A X)(A⁺ dB)ᴴ + A⁺ᴴ X ((I - A⁺A) dX)ᴴ",
     .jvp = "Ẋ = A⁺ (Ḃ - Ȧ X + A⁺ᴴ Ȧᴴ (B - A X)) + (I - A⁺A) Ȧᴴ A⁺ᴴ X",
     .derivation = "Write P = A⁺. Along a direction of constant rank, P = P A P gives Ṗ = Ṗ A P + P Ȧ P + P A Ṗ. A P is the "
                   "orthogonal projection onto the range of A: (A P) A = A gives (A P)˙ A = (I - A P) Ȧ, hence (A P)˙ A P = (I - A "
                   "P) Ȧ P. Since (A P)˙ is the sum of this and its adjoint, P (A P)˙ = P Pᴴ Ȧᴴ (I - A P), so P A Ṗ = P (A P)˙ - P "
                   "Ȧ P = P Pᴴ Ȧᴴ (I - A P) - P Ȧ P. Likewise Ṗ A P = (I - P A) Ȧᴴ Pᴴ P - P Ȧ P. Together Ṗ = -P Ȧ P + P Pᴴ Ȧᴴ (I "
                   "- A P) + (I - P A) Ȧᴴ Pᴴ P, to be multiplied by B. Backward, each term of Re tr(dXᴴ Ẋ) moves the factors "
                   "around Ȧ to the other side; a term Re tr(M Ȧᴴ) = Re tr(Mᴴ Ȧ) contributes M itself.",
     .singular = "where the rank changes, A⁺ jumps: the value and the gradient are those for the numerical rank set by rcond",
     .source = "Golub & Pereyra, SIAM J. Numer. Anal. 10 (1973), eq. 4.12"},
    [](OpCheck& check) {
      const auto f = [](auto A, auto B) { return lstsq(A, B); };
      check.function("real, tall", f, of_full_rank(check.real({4, 2})), check.real({4, 2}));
      check.function("complex, tall", f, of_full_rank(check.complex({2, 3, 2})), check.complex({2, 3, 1}));
      check.function("real, wide", f, of_full_rank(check.real({2, 4})), check.real({2, 2}));
      check.function("complex, wide", f, of_full_rank(check.complex({2, 3})), check.complex({2}));
      check.function("real, square", f, of_full_rank(check.real({2, 2})), of_full_rank(check.real({2, 2})));
      check.function(
          "real, pseudoinverse", [](auto A) { return pinv(A); }, of_full_rank(check.real({3, 2})));
      check.function(
          "complex, pseudoinverse", [](auto A) { return pinv(A); }, of_full_rank(check.complex({2, 3})));
      check.sizes("batch", [f](OpCheck& at, std::int64_t n) {
        at.function("real", f, of_full_rank(at.real({matrices::batch_of(n), 3, 2})), at.real({matrices::batch_of(n), 3, 1}));
        at.function("complex", f, of_full_rank(at.complex({matrices::batch_of(n), 2, 2})),
                    at.complex({matrices::batch_of(n), 2, 1}));
        at.function(
            "real, pseudoinverse", [](auto A) { return pinv(A); }, of_full_rank(at.real({matrices::batch_of(n), 2, 2})));
        at.function(
            "complex, pseudoinverse", [](auto A) { return pinv(A); }, of_full_rank(at.complex({matrices::batch_of(n), 2, 2})));
      });
      check.sizes(
          "size",
          [f](OpCheck& at, std::int64_t n) {
            at.function("real, tall", f, of_full_rank(at.real({n + 3, n})), at.real({n + 3, 2}));
            at.function("complex, wide", f, of_full_rank(at.complex({n, n + 2})), at.complex({n, 2}));
          },
          19);
    });

namespace {

/// U, Vᴴ and 1/s (0 where s counts as 0) of every matrix of a stack.
template <Scalar T>
class Pseudoinverse {
 public:
  using R = RealOf<T>;
  Pseudoinverse(const Tensor<T>& A, std::optional<double> rcond) {
    const matrices::Stack stack("lstsq", A.shape());
    const std::int64_t m = stack.m, n = stack.n, k = std::min(m, n);
    const Shape leading = matrices::Stack::leading(A.shape());
    U_ = Tensor<T>(matrices::shape_of(leading, m, k));
    Vh_ = Tensor<T>(matrices::shape_of(leading, k, n));
    inverse_ = Tensor<R>(matrices::shape_of(leading, k, 1));
    const R least = rcond ? static_cast<R>(*rcond) : std::numeric_limits<R>::epsilon() * R(std::max(m, n));
    T *const U = U_.data(), *const Vh = Vh_.data();
    R* const inverse = inverse_.data();
    matrices::each(stack, [&](std::int64_t i) {
      R* const s = inverse + i * k;
      if (!matrices::all_finite(A.data() + i * m * n, m * n)) {
        matrices::fill_with_nan(U + i * m * k, m * k);
        matrices::fill_with_nan(Vh + i * k * n, k * n);
        return matrices::fill_with_nan(s, k);
      }
      std::vector<T> a = matrices::by_columns(m, n, A.data() + i * m * n), u(static_cast<std::size_t>(m * k)),
                     vh(static_cast<std::size_t>(k * n));
      lapack_svd(m, n, a.data(), u.data(), s, vh.data());
      matrices::transpose_into(k, m, u.data(), U + i * m * k);
      matrices::transpose_into(n, k, vh.data(), Vh + i * k * n);
      for (std::int64_t j = k; j-- > 0;) s[j] = s[j] > least * s[0] ? 1 / s[j] : R(0);
    });
  }

  /// A⁺ B
  Tensor<T> times(const Tensor<T>& B) const {
    return matrices::product(Vh_, scaled(matrices::product(U_, B, Transpose::Conjugate)), Transpose::Conjugate);
  }
  /// A⁺ᴴ X
  Tensor<T> adjoint_times(const Tensor<T>& X) const { return matrices::product(U_, scaled(matrices::product(Vh_, X))); }
  /// (I - A⁺A) X
  Tensor<T> project_to_null_space(const Tensor<T>& X) const {
    Tensor<T> inside = matrices::product(Vh_, X);
    inside = broadcast_map(
        "lstsq", [](T x, R s) { return s == 0 ? T(0) : x; }, inside, inverse_);
    return map([](T x, T y) { return x - y; }, X, matrices::product(Vh_, inside, Transpose::Conjugate));
  }

 private:
  Tensor<T> scaled(const Tensor<T>& X) const {
    return broadcast_map(
        "lstsq", [](T x, R s) { return x * s; }, X, inverse_);
  }
  Tensor<T> U_, Vh_;
  Tensor<R> inverse_;  // [..., k, 1]
};

template <Scalar T>
Var<T> lstsq_of_matrices(const Var<T>& A, const Var<T>& B, std::optional<double> rcond) {
  const auto P = std::make_shared<const Pseudoinverse<T>>(A.value(), rcond);
  using R = RealOf<T>;
  const Tensor<T> X = P->times(B.value());
  return record(
      lstsq_op, X,
      [P, X, a = A.value(), b = B.value(), dA = accumulator(A), dB = accumulator(B)](const Tensor<T>& dX) {
        const auto minus = [](T x, T y) { return x - y; };
        const auto outer = [](const Tensor<T>& x, const Tensor<T>& y) {
          return matrices::product(x, y, Transpose::No, Transpose::Conjugate);
        };
        const Tensor<T> g = P->adjoint_times(dX);
        if (dA) {
          // A⁺g may overflow although its product with the residual does not, so g is multiplied by the residual's scale first.
          const Tensor<T> residual = map(minus, b, matrices::product(a, X));
          const R size = std::accumulate(residual.begin(), residual.end(), R(0),
                                         [](R largest, T r) { return std::max(largest, std::abs(r)); });
          constexpr int most = std::numeric_limits<R>::max_exponent - 4;
          const R scale = size > 0 && std::isfinite(size) ? std::ldexp(R(1), std::clamp(std::ilogb(size), -most, most)) : R(1);
          const auto times = [](R c) { return [c](T x) { return x * c; }; };
          Tensor<T> sum = outer(map(times(1 / scale), residual), P->times(map(times(scale), g)));
          sum = map(minus, sum, outer(g, X));
          sum.add(outer(P->adjoint_times(X), P->project_to_null_space(dX)));
          dA.add(sum);
        }
        dB.add(g);
      },
      [&](const Var<T>& X) {
        const Var<T> A_dot = tangent(A), Ah = matrices::adjoint(A), Ah_dot = matrices::adjoint(A_dot);
        const Var<T> residual = lstsq_of_matrices(Ah, matmul(Ah_dot, B - matmul(A, X)), rcond);
        const Var<T> other = matmul(Ah_dot, lstsq_of_matrices(Ah, X, rcond));
        return lstsq_of_matrices(A, tangent(B) - matmul(A_dot, X) + residual - matmul(A, other), rcond) + other;
      },
      A, B);
}

}  // namespace

template <Scalar T>
Var<T> lstsq(const Var<T>& A, const Var<T>& B, std::optional<double> rcond) {
  const auto [matrix, right, vectors] = matrices::with_right_sides("lstsq", A, B);
  const Var<T> X = lstsq_of_matrices(matrix, right, rcond);
  return vectors ? matrices::without_last(X) : X;
}

#define ARGAND_LSTSQ(T) template Var<T> lstsq(const Var<T>&, const Var<T>&, std::optional<double>);
ARGAND_FOR_SCALAR(ARGAND_LSTSQ)

}  // namespace argand
