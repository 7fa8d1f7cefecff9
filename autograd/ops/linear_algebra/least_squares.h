#pragma once
/// Least squares and pseudoinverses of stacks of matrices [..., m, n] of any rank, real or complex, via singular values. Named and
/// defined as in torch.linalg. A matrix that is not finite gives NaN throughout.

#include <optional>

#include "autograd/ops/own_name.h"
#include "autograd/var.h"

namespace argand {

/// X = A⁺ B: for each column b of B, the shortest x that minimizes |A x - b|. A [..., m, n], B [..., m, k] -> [..., n, k], or B
/// [..., m] -> [..., n]; leading axes broadcast. Singular values up to rcond times the largest count as 0; rcond is ε max(m, n) by
/// default, ε the rounding unit of T. The gradient is valid among matrices of the same rank. Throws when the shapes do not match.
template <Scalar T>
Var<T> lstsq(const Var<T>& A, const Var<T>& B, std::optional<double> rcond = {});

/// A⁺, the Moore-Penrose pseudoinverse: [..., m, n] -> [..., n, m]. To compute A⁺ B, lstsq() is more accurate.
template <Scalar T>
Var<T> pinv(const Var<T>& A, std::optional<double> rcond = {}) {
  require(A.rank() >= 2, "pinv", "expects matrices, got {}", A.shape());
  Tensor<T> I = Tensor<T>::zeros({A.dim(-2), A.dim(-2)});
  for (std::int64_t i = 0; i < I.dim(0); ++i) I(i, i) = 1;
  return in_own_name("pinv", [&] { return lstsq(A, Var<T>(I), rcond); });
}

}  // namespace argand
