#pragma once
/// The loss used in gradient checks: a weighted sum of all outputs, as a real number.

#include "autograd/var.h"

namespace argand {

/// L = Re Σ conj(W) z, with constant weights W of z's shape; a scalar. Its gradient with respect to z is W, so backward()
/// propagates W to the ops that produced z. Throws when the shapes differ.
template <Scalar T>
Var<RealOf<T>> projection(const Var<T>& z, const Tensor<T>& W);

}  // namespace argand
