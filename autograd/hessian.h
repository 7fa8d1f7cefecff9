#pragma once
/// Whole Hessians of small problems, for looking at them; products with large ones are hvp()'s (autograd/forward.h).

#include <functional>
#include <vector>

#include "autograd/forward.h"

namespace argand {

/// The real Hessian [N, N] of the loss that `loss()` computes, N the parameters' degrees of freedom in the order of the list, a
/// complex number counting as (Re, Im): H_ij = ∂²L/∂r_i∂r_j. One product hvp() a column; exact and symmetric but for rounding.
template <RealScalar R>
Tensor<R> hessian(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters);

/// Of a symmetric matrix [N, N], ascending, by Jacobi's rotations (Golub and Van Loan, Matrix Computations, 8.5): O(N³) a sweep,
/// for matrices that fit on a page. What is above the diagonal is not read. Throws Error for another shape; NaNs for a matrix that
/// is not finite.
std::vector<double> symmetric_eigenvalues(const Tensor<double>& matrix);

}  // namespace argand
