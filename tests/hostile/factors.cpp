/// Measures matrix factorisations.

#include "autograd/ops/linear_algebra/factors.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/linear_algebra/eigh.h"
#include "autograd/ops/linear_algebra/least_squares.h"
#include "autograd/ops/products/matmul.h"
#include "tests/hostile/references.h"
#include "tests/hostile/tasks.h"

namespace hostile {
namespace {

/// Gives the exact factor's columns (or rows) the signs of the library's factor, because LAPACK chooses the signs of R.
Matrix with_signs_of(Matrix A, const std::vector<Z>& got, bool by_rows) {
  const auto at = [&](int i, int j) { return got[static_cast<std::size_t>(i * A.n + j)]; };
  for (int j = 0; j < A.n && !got.empty(); ++j) {
    N inner = 0;
    if (by_rows)
      inner = at(j, j).x;
    else
      for (int i = 0; i < A.m; ++i) inner += (accuracy::conj(A(i, j).value()) * at(i, j)).x;
    if (inner >= 0) continue;
    for (int i = 0; i < (by_rows ? A.n : A.m); ++i) {
      Exact& x = by_rows ? A(j, i) : A(i, j);
      x = Exact(0.0) - x;
    }
  }
  return A;
}

}  // namespace

void add_factors(Tasks& tasks) {
  for (const int more : {0, 1}) {
    Op R{"qr",
         more == 0 ? "R" : "R, tall",
         Condition::Norm,
         on_tape([](const Matrix& A, const auto& got) { return numbers(with_signs_of(gram_schmidt(A).R, got, true)); }),
         1,
         6,
         more};
    tasks.all(R, [](const auto& A) { return argand::qr(A).R; });
    Op Q{"qr",
         more == 0 ? "Q" : "Q, tall",
         Condition::Norm,
         on_tape([](const Matrix& A, const auto& got) { return numbers(with_signs_of(gram_schmidt(A).Q, got, false)); }),
         1,
         6,
         more};
    tasks.all(Q, [](const auto& A) { return argand::qr(A).Q; });
  }
  Op L{"cholesky", "", Condition::Norm, on_tape([](const Matrix& A, const auto&) { return numbers(cholesky_factor(A)); }), 0, 8};
  L.positive = true;
  tasks.all(L, [](const auto& A) { return argand::cholesky(A); });

  const Op lambda{"eigh", "λ", Condition::Norm, eigenvalues, 0, 4, 0, 2};
  tasks.all(lambda, [](const auto& A) { return argand::eigvalsh(A); });
  Op function{"eigh",
              "V f(λ) Vᴴ, f = λ/(λ² + 2)",
              Condition::Norm,
              on_tape([](const Matrix& A, const auto&) {
                const Matrix H = scaled(A + adjoint(A), 0.5);
                return numbers(solved(H * H + scaled(Matrix::identity(A.n), 2), H));
              }),
              1,
              6};
  function.loosely_refused = function.leaves_out_lost = true;
  tasks.all(function, [](const auto& A) {
    const auto e = argand::eigh(A);
    const auto f = e.values / (e.values * e.values + 2);
    return argand::matmul(e.vectors * argand::reshape(f, Shape{f.dim(0), 1, f.dim(1)}), e.vectors, argand::Transpose::No,
                          argand::Transpose::Conjugate);
  });
  for (const int more : {0, 1}) {
    tasks.all({"svd", more == 0 ? "S" : "S, tall", Condition::Norm, singular_values, 0, 4, more},
              [](const auto& A) { return argand::svdvals(A); });
    Op factors{"svd",
               more == 0 ? "U f(S) Vᴴ, f = s/(s² + 2)" : "U f(S) Vᴴ, tall",
               Condition::Norm,
               on_tape([](const Matrix& A, const auto&) {
                 const Matrix Ah = adjoint(A);
                 return numbers(adjoint(solved(Ah * A + scaled(Matrix::identity(A.n), 2), Ah)));
               }),
               1,
               5,
               more};
    factors.loosely_refused = factors.leaves_out_lost = true;
    tasks.all(factors, [](const auto& A) {
      const auto s = argand::svd(A);
      const auto f = s.S / (s.S * s.S + 2);
      return argand::matmul(s.U * argand::reshape(f, Shape{f.dim(0), 1, f.dim(1)}), s.Vh);
    });
    Op P{"lstsq",
         more == 0 ? "A⁺" : "A⁺, tall",
         Condition::Norm,
         on_tape([](const Matrix& A, const auto&) {
           const Matrix Ah = adjoint(A);
           return numbers(solved(Ah * A, Ah));
         }),
         1,
         6,
         more};
    P.leaves_out_lost = true;
    tasks.all(P, [](const auto& A) { return argand::pinv(A); });
  }
}

}  // namespace hostile
