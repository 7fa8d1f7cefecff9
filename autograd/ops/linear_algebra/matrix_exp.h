#pragma once
/// The exponential of stacks of square matrices, real or complex.

#include "autograd/var.h"

namespace argand {

/// W = Σ_k A^k/k!, [..., n, n]: where A is antihermitian W is unitary. torch.matrix_exp. By scaling and squaring (Higham 2005): A
/// is halved s times until |A|₁ < 5.4, a Padé approximant of order 13 taken, and its value squared s times. A matrix that is not
/// finite gives NaN, all over. Throws for matrices that are not square, and without LAPACK as solve() does.
template <Scalar T>
Var<T> matrix_exp(const Var<T>& A);

}  // namespace argand
