#pragma once
/// Activations of real numbers: elementwise, any shape. Their complex counterparts are in complex_activation.h.

#include "autograd/var.h"

namespace argand {

/// max(x, 0). Gradient 0 at x = 0.
template <RealScalar R>
Var<R> relu(const Var<R>& x);
/// x Φ(x), Φ the normal distribution function: the exact form with erf (Hendrycks and Gimpel, arXiv:1606.08415).
template <RealScalar R>
Var<R> gelu(const Var<R>& x);
/// x σ(x), σ the logistic function.
template <RealScalar R>
Var<R> silu(const Var<R>& x);
/// silu(gate) · up for inputs of the same shape, in one pass (Shazeer, arXiv:2002.05202, eq. 6).
template <RealScalar R>
Var<R> swiglu(const Var<R>& gate, const Var<R>& up);

}  // namespace argand
