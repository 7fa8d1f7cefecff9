#pragma once
/// Selection by a mask (core/mask.h), as returned by gt, lt, eq, ... of tensors. Real or complex; one of each gives complex. Mask
/// and operands broadcast as in NumPy; all throw `op: shapes cannot be broadcast together: [2, 3] and [4]`.

#include "autograd/var.h"
#include "core/mask.h"

namespace argand {

/// a where the mask is true, b elsewhere. The operand that is not selected gets gradient 0. (Where a is NaN, that 0 may become NaN
/// again in the gradient of a's input: log(where(x > 0, x, 1)) is safe, where(x > 0, log(x), 0) is not.)
template <Scalar A, Scalar B>
Var<Promote<A, B>> where(const Mask& mask, const Var<A>& a, const Var<B>& b);

/// z, replaced by `value` where the mask is true.
template <Scalar T>
Var<T> masked_fill(const Var<T>& z, const Mask& mask, T value);

/// The larger and the smaller of two reals, NaN if either is. In a tie, a gets the whole gradient (PyTorch gives half to each).
template <RealScalar R>
Var<R> maximum(const Var<R>& a, const Var<R>& b);
template <RealScalar R>
Var<R> minimum(const Var<R>& a, const Var<R>& b);

/// min(max(x, low), high). The gradient passes where low <= x <= high. Throws unless low <= high.
template <RealScalar R>
Var<R> clamp(const Var<R>& x, R low, R high);

}  // namespace argand
