#pragma once
/// Powers, square roots and logarithms of stacks of square matrices [..., n, n], real or complex. If a matrix has a non-finite
/// element, its root and its logarithm are NaN throughout. All throw for matrices that are not square and, like solve(), in a build
/// without LAPACK.

#include "autograd/var.h"

namespace argand {

/// A^p for an integer p, by repeated squaring, as in torch.linalg.matrix_power; A⁰ = I, and A^{-p} = (A⁻¹)^p. Throws
/// `matrix_power: the matrix is singular` for p < 0.
template <Scalar T>
Var<T> matrix_power(const Var<T>& A, std::int64_t p);

/// The principal square root: W W = A, with eigenvalues √λ, Re √λ >= 0. It is smooth where eigenvalues coincide, where V√ΛVᴴ from
/// eigh() has no gradient. An eigenvalue on the negative real axis has the root i√|λ|; if A is real, sqrtm() throws `sqrtm:
/// eigenvalue -1 of the matrix is on the negative real axis; pass a complex matrix`. If 0 is an eigenvalue, the gradient throws,
/// and so does the value if no root exists, as for ((0, 1), (0, 0)).
template <Scalar T>
Var<T> sqrtm(const Var<T>& A);

/// The principal logarithm: e^W = A, with -π < Im log λ <= π. Throws `logm: the matrix is singular, and has no logarithm`, and, for
/// a real A with an eigenvalue on the negative real axis, as sqrtm() does.
template <Scalar T>
Var<T> logm(const Var<T>& A);

}  // namespace argand
