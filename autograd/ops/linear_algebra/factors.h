#pragma once
/// Factorizations of stacks of matrices, real or complex, computed with LAPACK. Names and definitions follow torch.linalg. A matrix
/// with a NaN gives NaN in all elements of its factors except structural zeros.

#include "autograd/ops/own_name.h"
#include "autograd/var.h"

namespace argand {

/// H = L Lᴴ for the Hermitian part H = (A + Aᴴ)/2, which is A if A is Hermitian: L [..., n, n], lower triangular with a
/// positive diagonal. Throws `cholesky: the matrix is not positive definite (its leading minor of order 3 is not positive)`.
template <Scalar T>
Var<T> cholesky(const Var<T>& A);

template <Scalar T>
struct OrthogonalFactors {
  Var<T> Q;  ///< [..., m, k], k = min(m, n), with orthonormal columns
  Var<T> R;  ///< [..., k, n], upper triangular with a real diagonal
};

/// A = Q R for A [..., m, n]. LAPACK chooses the signs of R's diagonal, so a loss should not depend on them. The gradient throws if
/// the first k columns of A are linearly dependent.
template <Scalar T>
OrthogonalFactors<T> qr(const Var<T>& A);

struct SvdOptions {
  /// Width ε of a Lorentzian: the gradient uses x/(x² + ε²) instead of 1/x, where x is a singular value or the difference or sum of
  /// two, and does not throw if x is 0. With ε = 0, the gradient is exact, and throws if x is 0.
  double broadening = 0;
  /// Set only if the loss ignores the vectors. Where values coincide or are 0, the gradient is one of several possible ones. For
  /// svdvals.
  bool values_only = false;
};

template <Scalar T>
struct SingularFactors {
  Var<T> U;          ///< [..., m, k], k = min(m, n), with orthonormal columns u_j
  Var<RealOf<T>> S;  ///< [..., k], descending
  Var<T> Vh;         ///< [..., k, n], v_jᴴ in row j
};

/// A = U diag(S) Vh for A [..., m, n].
///
/// The common phase of u_j and v_j (real: their sign) is a gauge, which LAPACK chooses arbitrarily. A loss must not depend on it;
/// if it does, the gradient throws and reports the size of the violation. Without a broadening, it also throws where a loss depends
/// on the vectors of singular values that coincide, or that are 0 while u_j or v_j is not unique, and where the loss distinguishes
/// such values. Only the loss's derivative is examined, as in eigh().
template <Scalar T>
SingularFactors<T> svd(const Var<T>& A, const SvdOptions& options = {});

/// Only the singular values, [..., m, n] -> [..., k]: differentiable where they differ and are not 0; elsewhere the gradient U
/// diag(dS) Vh is one of several possible ones.
template <Scalar T>
Var<RealOf<T>> svdvals(const Var<T>& A) {
  return in_own_name("svdvals", [&] { return svd(A, {.values_only = true}).S; });
}

}  // namespace argand
