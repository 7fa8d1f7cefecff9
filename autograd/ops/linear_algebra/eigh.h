#pragma once
/// Eigenvalues and eigenvectors of stacks of Hermitian (real: symmetric) matrices [..., n, n], with LAPACK. Names and meaning of
/// torch.linalg.

#include "autograd/var.h"

namespace argand {

struct EighOptions {
  /// ε of a Lorentzian: the gradient takes Δ/(Δ² + ε²) for 1/Δ, Δ the distance of two eigenvalues, and does not throw where two
  /// coincide. 0: the exact derivative, which does.
  double broadening = 0;
};

template <Scalar T>
struct Eigen {
  Var<RealOf<T>> values;  ///< [..., n], rising
  Var<T> vectors;         ///< [..., n, n], v_k in column k, of modulus 1
};

/// H = V diag(λ) Vᴴ of the Hermitian part H = (A + Aᴴ)/2, which is A where A is Hermitian.
///
/// A vector's phase (real: its sign) is a gauge: v e^{iφ} is as good, and which one LAPACK returns is its own affair. A loss may
/// not depend on it; where one does, the gradient throws, with the size of the violation. Where two eigenvalues coincide, any
/// rotation between their vectors is such a gauge as well, and vectors have no derivative: a loss that depends on them throws,
/// unless there is a broadening. The values' own gradient is V diag(dλ) Vᴴ always. A matrix with a NaN gives NaN, all over.
template <Scalar T>
Eigen<T> eigh(const Var<T>& A, const EighOptions& options = {});

}  // namespace argand
