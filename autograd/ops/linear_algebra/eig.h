#pragma once
/// Eigenvalues and eigenvectors of stacks of square matrices [..., n, n] that need not be Hermitian, with LAPACK. Names and meaning
/// of torch.linalg. For a Hermitian matrix eigh() is shorter, more accurate, and says more.

#include "autograd/var.h"

namespace argand {

template <RealScalar R>
struct GeneralEigen {
  Var<std::complex<R>> values;   ///< [..., n], in LAPACK's order; of a real matrix, conjugate pairs side by side
  Var<std::complex<R>> vectors;  ///< [..., n, n], v_k in column k, of length 1, its largest number real and positive
};

/// A V = V diag(λ); complex of a real A too.
///
/// A vector's phase is a gauge, fixed here by its largest number, which is arbitrary: a loss may not depend on it, and where one
/// does the gradient throws, with the size of the violation. Where two eigenvalues coincide, to the accuracy that the matrix gives
/// them, neither they nor their vectors have a derivative: a loss that tells them apart or depends on their vectors throws. Where
/// they have one vector only (a Jordan block), every loss does; sqrtm(), logm() and matrix_exp() are differentiable there. What
/// eigh() says of losses that are stationary at the vectors found holds here as well. A matrix with a number that is not finite
/// gives NaN, all over.
template <Scalar T>
GeneralEigen<RealOf<T>> eig(const Var<T>& A);

/// The eigenvalues alone, [..., n].
template <Scalar T>
Var<std::complex<RealOf<T>>> eigvals(const Var<T>& A) {
  return eig(A).values;
}

}  // namespace argand
