#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/factors.h"
#include "autograd/ops/linear_algebra/lu_factors.h"
#include "autograd/ops/linear_algebra/solve.h"

namespace argand {
namespace {

/// Makes A positive definite: scales its elements by 3/√n, and adds 20 to the diagonal.
template <Scalar T>
Tensor<T> positive(Tensor<T> A) {
  const std::int64_t n = A.dim(-1);
  for (std::int64_t k = 0; k < A.size(); ++k) {
    A.data()[k] *= RealOf<T>(3) / std::sqrt(RealOf<T>(n));
    if (k / n % n == k % n) A.data()[k] += RealOf<T>(20);
  }
  return A;
}

}  // namespace

static const Op cholesky_op(
    {.name = "cholesky",
     .kind = Kind::General,
     .equation = "H = L Lᴴ, H = (A + Aᴴ)/2, batched: L lower triangular with a positive diagonal",
     .dz = "in differential form, dL = L Φ(L⁻¹ (dH) L⁻ᴴ), where Φ keeps the part below the diagonal and half of the diagonal",
     .dzbar = "from dH = (dA + (dA)ᴴ)/2: half of dA and half of its adjoint",
     .vjp = "dA = L⁻ᴴ (Φ(M) + Φ(M)ᴴ)/2 L⁻¹, M = Lᴴ dL, the diagonal of Φ(M) real",
     .jvp = "L̇ = L Φ(L⁻¹ Ḣ L⁻ᴴ)",
     .derivation = "Along any direction Ḣ = L̇ Lᴴ + L L̇ᴴ; multiplying by L⁻¹ from the left and L⁻ᴴ from the right gives P = Ω + Ωᴴ "
                   "with P = L⁻¹ Ḣ L⁻ᴴ, Ω = L⁻¹ L̇. Like L and L̇, Ω is lower triangular with a real diagonal, so P equals Ω below "
                   "the diagonal and 2Ω on it: Ω = Φ(P). Backward, Re tr(dLᴴ L Φ(P)) = Re tr(Mᴴ Φ(P)) = Re tr(Φ(M)ᴴ P), since Φ "
                   "scales single entries by 0, ½ or 1; since the diagonal of P is real, only the real part of M's diagonal "
                   "counts. P is Hermitian, so Φ(M) may be replaced by its Hermitian part, and L⁻¹ and L⁻ᴴ move to the other side.",
     .singular = "H not positive definite: throws",
     .source = "Murray, arXiv:1602.07527, 3.1; Smith, J. Comp. Graph. Stat. 4 (1995)"},
    [](OpCheck& check) {
      const auto f = [](auto A) { return cholesky(A); };
      check.function("real", f, positive(check.real({3, 3})));
      check.function("complex", f, positive(check.complex({2, 3, 3})));
      check.position_dependent();
      check.sizes("batch", [f](OpCheck& at, std::int64_t n) {
        at.function("real", f, positive(at.real({matrices::batch_of(n), 2, 2})));
        at.function("complex", f, positive(at.complex({matrices::batch_of(n), 2, 2})));
      });
      check.sizes(
          "size",
          [f](OpCheck& at, std::int64_t n) {
            at.function("complex", f, positive(at.complex({n, n})));
          },
          67);
    });

namespace {

/// Φ: the part below the diagonal, and half of the diagonal's real part.
template <Scalar T>
Tensor<T> lower_half(const Tensor<T>& A) {
  return matrices::map_places(A, [](std::int64_t, std::int64_t i, std::int64_t j, T a) {
    return i == j ? T(real_of(a) / 2) : i > j ? a : T(0);
  });
}

/// B L⁻¹ for a lower triangular L, as (L⁻ᴴ Bᴴ)ᴴ.
template <Scalar T>
Tensor<T> divided(const Tensor<T>& B, const matrices::LuFactors<T>& L) {
  return matrices::adjoint_of(L.solved(matrices::adjoint_of(B), true));
}

}  // namespace

template <Scalar T>
Var<T> cholesky(const Var<T>& A) {
  using R = RealOf<T>;
  const matrices::Stack stack = matrices::square("cholesky", A.shape());
  const std::int64_t n = stack.n;
  const Tensor<T> H = matrices::hermitian_part(A.value());
  Tensor<T> L = Tensor<T>::zeros(A.shape());
  T* const out = L.data();
  std::vector<std::int64_t> failed(static_cast<std::size_t>(stack.count));
  matrices::each(stack, [&](std::int64_t i) {
    std::vector<T> columns = matrices::by_columns(n, n, H.data() + i * n * n);
    if (matrices::holds_nan(columns.data(), n * n))
      for (std::int64_t row = 0; row < n; ++row) matrices::fill_with_nan(out + (i * n + row) * n, row + 1);
    else if ((failed[static_cast<std::size_t>(i)] = lapack_cholesky(n, columns.data())) == 0)
      matrices::transpose_into(n, n, columns.data(), out + i * n * n);
  });
  for (std::int64_t i = 0; i < stack.count; ++i)
    require(failed[static_cast<std::size_t>(i)] == 0, "cholesky",
            "{} is not positive definite (its leading minor of order {} is not positive)", matrices::name_of(i, stack, A.shape()),
            failed[static_cast<std::size_t>(i)]);
  return record(
      cholesky_op, L,
      [L, dA = accumulator(A)](const Tensor<T>& dL) {
        const matrices::LuFactors<T> factors("cholesky", L);
        const Tensor<T> M = matrices::hermitian_part(lower_half(matrices::product(L, dL, Transpose::Conjugate)));
        dA.add(divided(factors.solved(M, true), factors));
      },
      [&](const Var<T>& L) {
        const Var<T> dot = tangent(A), Hdot = scale(dot + matrices::adjoint(dot), R(0.5));
        const Var<T> P = solve(L, matrices::adjoint(solve(L, Hdot)));
        return matmul(L, P * matrices::constant_matrix<R>(n, n, [](auto i, auto j) { return i == j ? 0.5 : i > j ? 1.0 : 0.0; }));
      },
      A);
}

#define ARGAND_CHOLESKY(T) template Var<T> cholesky(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_CHOLESKY)

}  // namespace argand
