#pragma once
/// Factors of stacks of matrices, real or complex, with LAPACK. Names and meaning of torch.linalg. A matrix with a NaN gives NaN
/// wherever its factors have numbers of their own.

#include "autograd/ops/own_name.h"
#include "autograd/var.h"

namespace argand {

/// H = L Lᴴ of the Hermitian part H = (A + Aᴴ)/2, which is A where A is Hermitian: L [..., n, n], lower triangular with a positive
/// diagonal. Throws `cholesky: the matrix is not positive definite (its leading minor of order 3 is not positive)`.
template <Scalar T>
Var<T> cholesky(const Var<T>& A);

template <Scalar T>
struct OrthogonalFactors {
  Var<T> Q;  ///< [..., m, k], k = min(m, n), with orthonormal columns
  Var<T> R;  ///< [..., k, n], upper triangular with a real diagonal
};

/// A = Q R of A [..., m, n]. The signs of R's diagonal are LAPACK's affair, so a loss should not depend on them. The gradient
/// throws where the first k columns of A depend on each other.
template <Scalar T>
OrthogonalFactors<T> qr(const Var<T>& A);

struct SvdOptions {
  /// ε of a Lorentzian: the gradient takes x/(x² + ε²) for 1/x, x a singular value or the distance or the sum of two, and does not
  /// throw where it is 0. 0: the exact derivative, which does.
  double broadening = 0;
  /// The loss reads no vectors: where values coincide or are 0 the gradient is one of its slopes. For svdvals.
  bool values_only = false;
};

template <Scalar T>
struct SingularFactors {
  Var<T> U;          ///< [..., m, k], k = min(m, n), with orthonormal columns u_j
  Var<RealOf<T>> S;  ///< [..., k], falling
  Var<T> Vh;         ///< [..., k, n], v_jᴴ in row j
};

/// A = U diag(S) Vh of A [..., m, n].
///
/// A common phase of u_j and v_j (real: their sign) is a gauge, and which one LAPACK returns is its own affair. A loss may not
/// depend on it; where one does, the gradient throws, with the size of the violation. It throws as well where a loss depends on the
/// vectors of singular values that coincide, or that are 0 while u_j or v_j is not theirs alone, and where it tells such values
/// apart: those have no derivative, unless there is a broadening. What is looked at is the loss's derivative, as in eigh().
template <Scalar T>
SingularFactors<T> svd(const Var<T>& A, const SvdOptions& options = {});

/// The singular values alone, [..., m, n] -> [..., k]: differentiable wherever they differ and are not 0; elsewhere U diag(dS) Vh
/// is one of several directions in which they move.
template <Scalar T>
Var<RealOf<T>> svdvals(const Var<T>& A) {
  return in_own_name("svdvals", [&] { return svd(A, {.values_only = true}).S; });
}

}  // namespace argand
