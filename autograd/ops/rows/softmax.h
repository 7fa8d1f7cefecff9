#pragma once
/// softmax, its logarithm and log Σ e^x over the last axis, shifted by the largest entry so that nothing overflows.

#include "autograd/var.h"

namespace argand {

/// log Σ e^x: [..., n] -> [...], or [..., 1] with keepdim. Entries of -inf count nothing; where all are, the value is -inf and the
/// gradient 0. Throws for rank 0.
template <RealScalar R>
Var<R> logsumexp(const Var<R>& x, bool keepdim = false);
template <RealScalar R>
Var<R> logsumexp(const Var<R>& x, int axis) = delete;  // over the last axis only: bring another one there with transpose()
/// e^x / Σ e^x. A row of nothing but -inf gives zeros. Throws for rank 0.
template <RealScalar R>
Var<R> softmax(const Var<R>& x);
/// log softmax(x) = x - logsumexp(x), of which exp and log again would lose small probabilities. Entries of -inf stay -inf.
/// Throws for rank 0.
template <RealScalar R>
Var<R> log_softmax(const Var<R>& x);

}  // namespace argand
