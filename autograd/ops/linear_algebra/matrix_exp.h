#pragma once
/// The exponential of stacks of square matrices, real or complex.

#include "autograd/var.h"

namespace argand {

/// W = Σ_k A^k/k!, [..., n, n], as in torch.matrix_exp; unitary if A is antihermitian. Computed by scaling and squaring with Padé
/// approximants (Al-Mohy and Higham 2009), in double precision for every T. A triangular matrix stays exactly triangular, with
/// diagonal e^{a_ii}. A matrix that is not finite gives NaN throughout. Throws for matrices that are not square and, like solve(),
/// in a build without LAPACK.
template <Scalar T>
Var<T> matrix_exp(const Var<T>& A);

}  // namespace argand
