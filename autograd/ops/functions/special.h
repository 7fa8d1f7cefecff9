#pragma once
/// Special functions of a real number: elementwise, any shape.

#include "autograd/var.h"

namespace argand {

/// 1 - erf x = 2/√π ∫_x^∞ e^(-t²) dt, with full accuracy where erf is close to 1.
template <RealScalar R>
Var<R> erfc(const Var<R>& x);

/// The w with erf w = x: ±inf at ±1, with gradient 0; NaN for |x| > 1.
template <RealScalar R>
Var<R> erfinv(const Var<R>& x);

/// log |Γ(x)|; infinite at 0, -1, -2, ..., with gradient 0 there.
template <RealScalar R>
Var<R> lgamma(const Var<R>& x);
/// ψ(x) = Γ'(x)/Γ(x), and its n-th derivative. NaN at 0, -1, -2, ..., with gradient 0 there. polygamma throws for n < 0.
template <RealScalar R>
Var<R> digamma(const Var<R>& x);
template <RealScalar R>
Var<R> polygamma(int n, const Var<R>& x);

}  // namespace argand
