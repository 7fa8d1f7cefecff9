#pragma once
/// Powers, square roots and logarithms of stacks of square matrices [..., n, n], real or complex. A number that is not finite makes
/// its matrix NaN, all over. Throw for matrices that are not square, and without LAPACK as solve() does.

#include "autograd/var.h"

namespace argand {

/// A^p of a whole number p, by repeated squaring; A⁰ = I, and A^{-p} = (A⁻¹)^p. torch.linalg.matrix_power. Throws
/// `matrix_power: the matrix is singular` for p < 0.
template <Scalar T>
Var<T> matrix_power(const Var<T>& A, std::int64_t p);

/// The principal square root: W W = A, whose eigenvalues are √λ with Re √λ >= 0. Where eigenvalues coincide it is as smooth as
/// elsewhere, so that it and its gradient are what a loss V√ΛVᴴ of eigh() means there. An eigenvalue on the negative real axis has
/// the root i√|λ|, and makes a real A throw `sqrtm: eigenvalue -1 of the matrix is on the negative real axis; pass a complex
/// matrix`. Where 0 is an eigenvalue the gradient throws, and the value as well where there is none, as of ((0, 1), (0, 0)).
template <Scalar T>
Var<T> sqrtm(const Var<T>& A);

/// The principal logarithm: e^W = A, with -π < Im log λ <= π. Throws `logm: the matrix is singular, and has no logarithm`, and of a
/// real A with an eigenvalue on the negative real axis as sqrtm() does.
template <Scalar T>
Var<T> logm(const Var<T>& A);

}  // namespace argand
