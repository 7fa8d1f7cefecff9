#pragma once
/// Whole Hessians of small problems, for looking at them; of large ones the ends of the spectrum, from products hvp() alone
/// (autograd/forward.h).

#include <functional>
#include <vector>

#include "autograd/forward.h"
#include "core/random.h"

namespace argand {

/// The real Hessian [N, N] of the loss that `loss()` computes, N the parameters' degrees of freedom in the order of the list, a
/// complex number counting as (Re, Im): H_ij = ∂²L/∂r_i∂r_j. One product hvp() a column; exact and symmetric but for rounding.
template <RealScalar R>
Tensor<R> hessian(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters);

/// A symmetric matrix as Σ values[i] vectors[i] vectors[i]ᵀ: ascending eigenvalues, and orthonormal eigenvectors.
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<std::vector<double>> vectors;
};

/// Of a matrix [N, N], by Jacobi's rotations (Golub and Van Loan, Matrix Computations, 8.5): O(N³) a sweep, for matrices that fit
/// on a page. What is above the diagonal is not read. Throws Error for another shape; NaNs for a matrix that is not finite.
SymmetricEigen symmetric_eigen(const Tensor<double>& matrix);
std::vector<double> symmetric_eigenvalues(const Tensor<double>& matrix);

/// An eigenvalue lies within `residual` of `value`; rounding is part of it.
struct RitzValue {
  double value, residual;
};

/// The spectrum of the Hessian, ascending, as `steps` products with it show: the largest and the smallest converge first. Lanczos's
/// method with full reorthogonalisation (Golub and Van Loan, Matrix Computations, 10.1): from a random vector, orthonormal q_0,
/// q_1, ... in which H is tridiagonal. An eigenvector s of that matrix gives y = Σ s_j q_j with the residual |H y - λ y|. Keeps all
/// q_j. Fewer values come back when the q_j span an invariant space before, of N parameters at most N. Throws Error for steps < 1.
template <RealScalar R>
std::vector<RitzValue> lanczos(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters, std::int64_t steps,
                               std::uint64_t seed = 0);

}  // namespace argand
