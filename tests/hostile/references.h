#pragma once
/// The exact functions applied to hostile matrices.

#include "tests/hostile/exact_tape.h"

namespace hostile {

std::vector<Exact> row_by_row(const Matrix& A, const std::function<std::vector<Exact>(const std::vector<Exact>&)>& f);
/// L of the Hermitian part.
Matrix cholesky_factor(const Matrix& A);
struct Factors {
  Matrix Q, R;
};
/// With a positive diagonal of R.
Factors gram_schmidt(const Matrix& A);

/// e^A, by scaling, Taylor's series and squaring, and its gradient from the same of ((Aᴴ, G), (0, Aᴴ)).
Result exponential(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);
/// The principal square root, by the iteration of Denman and Beavers, and the principal logarithm, by square roots and the series
/// of log((1 + X)/(1 - X)); their gradients as those of the exponential. Where an eigenvalue is 0 or negative: NoValue.
Result square_root(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);
Result logarithm(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);
/// The eigenvalues of the Hermitian part, rising, by Jacobi's rotations; their gradient where they differ.
Result eigenvalues(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);
/// The singular values, falling; their gradient where they differ and are not 0.
Result singular_values(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);

}  // namespace hostile
