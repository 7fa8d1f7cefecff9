#pragma once
/// Losses between values and their targets, averaged over all elements. Both may be variables. All throw when the shapes differ,
/// `mse: shapes do not match: [2, 3] and [3]`, and when there is nothing to average.

#include "autograd/var.h"

namespace argand {

/// The mean of |x - t|²; real for complex numbers too.
template <Scalar T>
Var<RealOf<T>> mse(const Var<T>& x, const Var<T>& t);

/// The mean of d²/2 for |d| <= δ and δ (|d| - δ/2) beyond, d = x - t. Throws unless δ > 0.
template <RealScalar R>
Var<R> huber(const Var<R>& x, const Var<R>& t, double delta = 1);

/// The mean of -t log σ(x) - (1 - t) log σ(-x): x are logits, t the probabilities of the positive class.
template <RealScalar R>
Var<R> binary_cross_entropy(const Var<R>& x, const Var<R>& t);

}  // namespace argand
