#pragma once
/// Whole Hessians of small problems, for inspection; for large problems the extreme eigenvalues, from Hessian-vector products only
/// (hvp(), autograd/forward.h).

#include <functional>
#include <vector>

#include "autograd/forward.h"
#include "core/random.h"

namespace argand {

/// The real Hessian [N, N] of the loss that `loss()` computes; N is the number of degrees of freedom of the parameters in list
/// order, where a complex number counts as (Re, Im): H_ij = ∂²L/∂r_i∂r_j. One hvp() per column; exact and symmetric up to rounding.
template <RealScalar R>
Tensor<R> hessian(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters);

/// A symmetric matrix as Σ values[i] vectors[i] vectors[i]ᵀ: ascending eigenvalues, and orthonormal eigenvectors.
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<std::vector<double>> vectors;
};

/// The eigendecomposition of a matrix [N, N] by Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5): O(N³) per sweep,
/// for small matrices. Elements above the diagonal are not read. Throws Error for other shapes; returns NaNs for a matrix that is
/// not finite.
SymmetricEigen symmetric_eigen(const Tensor<double>& matrix);
std::vector<double> symmetric_eigenvalues(const Tensor<double>& matrix);

/// Some eigenvalue lies within `residual` of `value`; `residual` includes rounding.
struct RitzValue {
  double value, residual;
};

/// Approximates the spectrum of the Hessian, ascending, from `steps` products with it: the largest and the smallest converge first.
/// Lanczos's method with full reorthogonalisation (Golub and Van Loan, Matrix Computations, 10.1): from a random vector, it builds
/// an orthonormal basis q_0, q_1, ... in which H is tridiagonal. An eigenvector s of the tridiagonal matrix, with eigenvalue λ,
/// gives y = Σ s_j q_j with the residual |H y - λ y|. Keeps all q_j. Returns fewer values when the q_j span an invariant subspace
/// before the last step, and at most N for N parameters. Throws Error for steps < 1.
template <RealScalar R>
std::vector<RitzValue> lanczos(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters, std::int64_t steps,
                               std::uint64_t seed = 0);

}  // namespace argand
