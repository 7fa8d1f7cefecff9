#pragma once
/// The interface to matrix factorisations: OpenBLAS's LAPACK, in the calling thread only. Matrices are stored by columns, as
/// LAPACK expects. Every function throws Error for a size that LAPACK cannot index. There is no other implementation: a build with
/// -Dblas=plain lacks these functions.

#include <complex>
#include <cstdint>
#include <vector>

#include "core/scalar.h"

namespace argand {

/// P A = L U for A [n, n], in place. Row i was swapped with row pivots[i], counted from 1. Returns 0, or k if U_kk, counted from
/// 1, is the first pivot that is exactly 0.
template <Scalar T>
std::int64_t lapack_lu(std::int64_t n, T* A, std::vector<int>& pivots);
/// B [n, k] <- A⁻¹ B, or with `adjoint` A⁻ᴴ B, using the factors from lapack_lu.
template <Scalar T>
void lapack_solve(bool adjoint, std::int64_t n, std::int64_t k, const T* LU, const std::vector<int>& pivots, T* B);

/// A = L Lᴴ for a Hermitian A [n, n]; reads the lower triangle and replaces it with L. Returns 0, or k if the leading minor of
/// order k is the first that is not positive.
template <Scalar T>
std::int64_t lapack_cholesky(std::int64_t n, T* A);

/// A = Q R for A [m, n], m >= n: A <- Q [m, n]; R [n, n] is upper triangular with a real diagonal.
template <Scalar T>
void lapack_qr(std::int64_t m, std::int64_t n, T* A, T* R);

/// A = V diag(λ) Vᴴ for a Hermitian A [n, n]; reads the lower triangle. A <- V, λ ascending. Throws if LAPACK's iteration does not
/// converge.
template <Scalar T>
void lapack_eigh(std::int64_t n, T* A, RealOf<T>* lambda);

/// A = U diag(s) Vᴴ for A [m, n], which is destroyed: U [m, k], s descending, Vh [k, n], k = min(m, n). Throws if LAPACK's
/// iteration does not converge.
template <Scalar T>
void lapack_svd(std::int64_t m, std::int64_t n, T* A, T* U, RealOf<T>* s, T* Vh);

/// A = Q S Qᴴ for any A [n, n]: A <- S, Q unitary. Complex: S is upper triangular. Real: S has 2 x 2 blocks for conjugate pairs.
/// λ holds the eigenvalues in the order of S's diagonal. If A is triangular, Q is a permutation and S has the elements of A.
/// Returns 0 on convergence.
std::int64_t lapack_schur(std::int64_t n, double* A, double* Q, std::complex<double>* lambda);
std::int64_t lapack_schur(std::int64_t n, std::complex<double>* A, std::complex<double>* Q, std::complex<double>* lambda);

/// A V = V diag(λ) for any A [n, n], which is destroyed; the columns of V have length 1. Returns 0 on convergence.
std::int64_t lapack_eig(std::int64_t n, double* A, std::complex<double>* lambda, std::complex<double>* V);
std::int64_t lapack_eig(std::int64_t n, std::complex<double>* A, std::complex<double>* lambda, std::complex<double>* V);

}  // namespace argand
