#pragma once
/// softmax, its logarithm, and log Σ e^x over the last or any axis, shifted by the largest entry so that nothing overflows.

#include "autograd/var.h"

namespace argand {

/// log Σ e^x over the last axis: [..., n] -> [...], or [..., 1] with keepdim. Entries of -inf contribute nothing; if all are -inf,
/// the value is -inf and the gradient 0. Entries of +inf share the gradient. Throws for rank 0.
template <RealScalar R>
Var<R> logsumexp(const Var<R>& x, bool keepdim = false);
/// The same over any axis; negative ones count from the end. Throws for an axis out of range.
template <RealScalar R>
Var<R> logsumexp(const Var<R>& x, int axis, bool keepdim = false);
/// e^x / Σ e^x. A row in which every entry is -inf gives zeros; k entries of +inf get 1/k each. Throws for rank 0.
template <RealScalar R>
Var<R> softmax(const Var<R>& x);
/// log softmax(x) = x - logsumexp(x); log(softmax(x)) would lose small probabilities. Entries of -inf stay -inf.
/// Throws for rank 0.
template <RealScalar R>
Var<R> log_softmax(const Var<R>& x);

}  // namespace argand
