#pragma once
/// Exact reference functions for the hostile matrices.

#include "tests/hostile/exact_tape.h"

namespace hostile {

std::vector<Exact> row_by_row(const Matrix& A, const std::function<std::vector<Exact>(const std::vector<Exact>&)>& f);
/// The Cholesky factor L of the Hermitian part of A.
Matrix cholesky_factor(const Matrix& A);
struct Factors {
  Matrix Q, R;
};
/// The QR factors, where R has a positive diagonal.
Factors gram_schmidt(const Matrix& A);

/// e^A by scaling, a Taylor series and squaring; its gradient comes from the same computation for ((Aᴴ, G), (0, Aᴴ)).
Result exponential(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);
/// The principal square root by the Denman-Beavers iteration, and the principal logarithm by square roots and the series of
/// log((1 + X)/(1 - X)). Their gradients are found like that of the exponential. Both throw NoValue if an eigenvalue is 0 or
/// negative.
Result square_root(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);
Result logarithm(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);
/// The eigenvalues of the Hermitian part in ascending order, by Jacobi rotations, and their gradient if they are distinct.
Result eigenvalues(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);
/// The singular values in descending order, and their gradient if they are distinct and none is 0.
Result singular_values(const std::vector<Z>& A, int m, int n, const std::vector<Z>& G, const std::vector<Z>& got);

}  // namespace hostile
