#pragma once
/// sin, cos, tanh, sigmoid (real or complex) and erf (real): elementwise, any shape.

#include "autograd/var.h"

namespace argand {

template <Scalar T>
Var<T> sin(const Var<T>& z);
template <Scalar T>
Var<T> cos(const Var<T>& z);
/// Finite for any |Re z|; complex poles at z = iπ(k + 1/2).
template <Scalar T>
Var<T> tanh(const Var<T>& z);
/// 1/(1 + e^-z). Finite for any |Re z|; complex poles at z = iπ(2k + 1).
template <Scalar T>
Var<T> sigmoid(const Var<T>& z);
/// 2/√π ∫_0^x e^(-t²) dt.
template <RealScalar R>
Var<R> erf(const Var<R>& x);

}  // namespace argand
