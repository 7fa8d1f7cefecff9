#pragma once
/// Layer norm and RMS norm over the last axis, real and complex.

#include "autograd/var.h"

namespace argand {

/// y = (x - μ)/σ · γ + b with μ = mean(x), σ² = mean|x - μ|² + eps; x, y [..., D], gain γ real [D], bias b [D] of x's type.
/// Throws when gain or bias is not [D].
template <Scalar T>
Var<T> layer_norm(const Var<T>& x, const Var<RealOf<T>>& gain, const Var<T>& bias, double eps = 1e-5);

/// y = x/ρ · γ with ρ² = mean|x|² + eps; x, y [..., D], gain γ real [D].
template <Scalar T>
Var<T> rms_norm(const Var<T>& x, const Var<RealOf<T>>& gain, double eps = 1e-6);

}  // namespace argand
