#pragma once
/// Eigenvalues and eigenvectors of stacks of Hermitian (real: symmetric) matrices [..., n, n], with LAPACK. Names and meaning of
/// torch.linalg.

#include "autograd/var.h"

namespace argand {

struct EighOptions {
  /// ε of a Lorentzian: the gradient takes Δ/(Δ² + ε²) for 1/Δ, Δ the distance of two eigenvalues, and does not throw where two
  /// coincide. It leaves out what vectors of eigenvalues closer than ε contribute: of √A at 2I all beside the diagonal. 0: the
  /// exact derivative, which throws.
  double broadening = 0;
  /// The loss reads no vectors: where values coincide it may tell them apart, and the gradient is one of its slopes. For eigvalsh.
  bool values_only = false;
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
/// rotation between their vectors is such a gauge as well, and vectors have no derivative: a loss that reads them throws, unless
/// there is a broadening, and from a distance of 100 ε max |λ| on, where the derivative has no digits. A function of the matrix,
/// V f(λ) Vᴴ, has a derivative there, but vectors alone do not show it (0/0): matrix_exp, sqrtm and logm give it. So does one that
/// tells coinciding values apart, such as Σ W ∘ (V f(λ) Vᴴ) where f(λ) = 0: f' stands in dλ, but only as far as V's columns go. A
/// matrix with a NaN gives NaN, all over.
///
/// What is looked at is the loss's derivative at the vectors that LAPACK returned, and no more can be: a loss that sees which they
/// are and is stationary there passes, as |V_00|² does where V = I. (PyTorch, which divides by the distance, has NaN or infinity.)
template <Scalar T>
Eigen<T> eigh(const Var<T>& A, const EighOptions& options = {});

/// The eigenvalues alone, [..., n], rising. Where some coincide, V diag(dλ) Vᴴ is one of several directions in which they move, and
/// the exact gradient of what does not tell them apart, such as their sum.
template <Scalar T>
Var<RealOf<T>> eigvalsh(const Var<T>& A) {
  return eigh(A, {.values_only = true}).values;
}

}  // namespace argand
