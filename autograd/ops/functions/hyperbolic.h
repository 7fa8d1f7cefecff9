#pragma once
/// tan, sinh, cosh and sinc: elementwise, real or complex, any shape. (sin, cos and tanh: elementwise/trigonometric.h.)

#include "autograd/var.h"

namespace argand {

/// Finite for any |Im z|; complex poles at z = π(k + 1/2).
template <Scalar T>
Var<T> tan(const Var<T>& z);
template <Scalar T>
Var<T> sinh(const Var<T>& z);
template <Scalar T>
Var<T> cosh(const Var<T>& z);
/// sin(πz)/(πz), 1 at z = 0, as in PyTorch and signal processing.
template <Scalar T>
Var<T> sinc(const Var<T>& z);

}  // namespace argand
