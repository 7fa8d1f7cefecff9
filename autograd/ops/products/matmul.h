#pragma once
/// Real and complex matrix products: batched with transposes, and the linear layer's x Wᵀ + b.

#include "autograd/var.h"
#include "core/machine/blas.h"

namespace argand {

/// C = op(A) op(B) over the last two axes, [..., M, K] [..., K, N] -> [..., M, N]; op is No, Yes (ᵀ) or Conjugate (ᴴ).
/// Leading axes broadcast as in NumPy; a single matrix B shared by all of A's is never copied.
/// Throws `matmul: inner dimensions do not match: [2, 3] and [4, 5]`, or `matmul: shapes cannot be broadcast together: [2] and [3]`
/// for the leading axes.
template <Scalar T>
Var<T> matmul(const Var<T>& A, const Var<T>& B, Transpose a_is = Transpose::No, Transpose b_is = Transpose::No);

/// y = x Wᵀ + b with x [..., in], W [out, in], b [out] -> [..., out].
/// Throws `linear: weight [out, in] = [8, 4] does not match x of shape [2, 3]`.
template <Scalar T>
Var<T> linear(const Var<T>& x, const Var<T>& W, const Var<T>& b);
template <Scalar T>
Var<T> linear(const Var<T>& x, const Var<T>& W);

}  // namespace argand
