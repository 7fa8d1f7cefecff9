#pragma once
/// Eigenvalues and eigenvectors of stacks of square matrices [..., n, n], not necessarily Hermitian, computed with LAPACK. Names
/// and definitions follow torch.linalg. For a Hermitian matrix, eigh() is faster and more accurate.

#include "autograd/var.h"

namespace argand {

template <RealScalar R>
struct GeneralEigen {
  Var<std::complex<R>> values;   ///< [..., n], in LAPACK's order; for a real matrix, conjugate pairs are adjacent
  Var<std::complex<R>> vectors;  ///< [..., n, n], v_k in column k, of length 1, with its largest element real and positive
};

/// A V = V diag(λ); complex for a real A too.
///
/// A vector's phase is a gauge: it is fixed arbitrarily, by making the vector's largest element real. A loss must not depend on it;
/// if it does, the gradient throws and reports the size of the violation. Where two eigenvalues coincide, to the accuracy to which
/// the matrix determines them, neither they nor their vectors have a derivative: the gradient throws if the loss distinguishes them
/// or depends on their vectors. Where they share a single vector (a Jordan block), it always throws; sqrtm(), logm() and
/// matrix_exp() are differentiable there. The limitation of eigh() for losses that are stationary at the returned vectors applies
/// here too. A matrix with a non-finite element gives NaN throughout.
template <Scalar T>
GeneralEigen<RealOf<T>> eig(const Var<T>& A);

/// Only the eigenvalues, [..., n].
template <Scalar T>
Var<std::complex<RealOf<T>>> eigvals(const Var<T>& A) {
  return eig(A).values;
}

}  // namespace argand
