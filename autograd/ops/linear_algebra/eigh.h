#pragma once
/// Eigenvalues and eigenvectors of stacks of Hermitian (real: symmetric) matrices [..., n, n], computed with LAPACK. Names and
/// definitions follow torch.linalg.

#include "autograd/var.h"

namespace argand {

struct EighOptions {
  /// Width ε of a Lorentzian: the gradient uses Δ/(Δ² + ε²) instead of 1/Δ, Δ the distance between two eigenvalues, and does not
  /// throw if two coincide. This drops the contribution of vectors whose eigenvalues are closer than ε: for √A at 2I, everything
  /// off the diagonal. With ε = 0, the gradient is exact, and throws if two coincide.
  double broadening = 0;
  /// Set only if the loss ignores the vectors. It may distinguish coinciding values; the gradient is then one of several possible
  /// ones. For eigvalsh.
  bool values_only = false;
};

template <Scalar T>
struct Eigen {
  Var<RealOf<T>> values;  ///< [..., n], ascending
  Var<T> vectors;         ///< [..., n, n], v_k in column k, of length 1
};

/// H = V diag(λ) Vᴴ for the Hermitian part H = (A + Aᴴ)/2, which is A if A is Hermitian.
///
/// The phase of a vector (real: its sign) is a gauge: v e^{iφ} is equally valid, and LAPACK's choice is arbitrary. A loss must not
/// depend on it; if it does, the gradient throws and reports the size of the violation. Where two eigenvalues coincide, any
/// rotation between their vectors is a gauge too, and the vectors have no derivative: without a broadening, the gradient throws if
/// the loss depends on them, even at distances up to 100 ε max |λ|, where the derivative has no correct digits. A function of the
/// matrix, V f(λ) Vᴴ, has a derivative there, but it cannot be computed from the vectors (0/0): use matrix_exp, sqrtm or logm. The
/// gradient also throws if the loss distinguishes coinciding values, as Σ W ∘ (V f(λ) Vᴴ) does where f(λ) = 0: dλ contains f', but
/// only along V's columns. A matrix that is not finite gives NaN throughout.
///
/// Only the loss's derivative at the vectors returned by LAPACK can be examined: a loss that depends on their choice but is
/// stationary there passes, as |V_00|² does where V = I. (PyTorch, which divides by the distance, returns NaN or infinity.)
template <Scalar T>
Eigen<T> eigh(const Var<T>& A, const EighOptions& options = {});

/// Only the eigenvalues, [..., n], ascending. Where some coincide, the gradient V diag(dλ) Vᴴ is one of several possible ones; it
/// is exact for losses that do not distinguish them, such as their sum.
template <Scalar T>
Var<RealOf<T>> eigvalsh(const Var<T>& A) {
  return eigh(A, {.values_only = true}).values;
}

}  // namespace argand
