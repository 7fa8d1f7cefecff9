#pragma once
/// Layer norm and RMS norm of numbers with several real parts, by magnitude.

#include "autograd/ops/rows/magnitude.h"

namespace argand {

/// With m_j = |z_j| over the D numbers of a row, μ = mean(m) and σ² = mean((m - μ)²) + 1e-5: the real part becomes (a - μ) γ/σ, the
/// other parts b γ/σ. x [..., parts·D], gain γ real [D]. Gradients go to x, γ and, if the magnitude depends on it, θ.
template <RealScalar R>
Var<R> magnitude_layer_norm(const Var<R>& x, const Var<R>& gain, const Measure<R>& measure);

/// z γ/ρ with ρ² = mean(|z|²) + 1e-6.
template <RealScalar R>
Var<R> magnitude_rms_norm(const Var<R>& x, const Var<R>& gain, const Measure<R>& measure);

}  // namespace argand
