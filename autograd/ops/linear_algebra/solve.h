#pragma once
/// Linear systems, inverses and determinants of stacks of square matrices [..., n, n], real or complex, computed from LAPACK's LU
/// factors. Names and definitions follow torch.linalg. A matrix with a NaN gives NaN throughout. A build without OpenBLAS throws
/// `solve: needs LAPACK, which this build (-Dblas=plain) lacks; build with OpenBLAS`.

#include "autograd/var.h"

namespace argand {

/// X = A⁻¹ B, with B [..., n, k], whose leading axes broadcast with A's, or, for one right-hand side per matrix, [n] or [..., n]
/// with the same leading axes as A. Throws `solve: the matrix is singular`, and when the shapes do not match.
template <Scalar T>
Var<T> solve(const Var<T>& A, const Var<T>& B);

/// A⁻¹. Throws `inv: the matrix is singular`. To multiply by A⁻¹, solve() is cheaper and more accurate.
template <Scalar T>
Var<T> inv(const Var<T>& A);

/// det A, [..., n, n] -> [...]. Its gradient is correct for singular matrices too.
template <Scalar T>
Var<T> det(const Var<T>& A);

/// det A = sign e^{logabsdet}, without overflow: |sign| = 1. For a singular matrix, sign is 0 and logabsdet is -infinity, and the
/// gradient throws.
template <Scalar T>
struct SignAndLog {
  Var<T> sign;
  Var<RealOf<T>> logabsdet;
};
template <Scalar T>
SignAndLog<T> slogdet(const Var<T>& A);

}  // namespace argand
