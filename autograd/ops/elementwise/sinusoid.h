#pragma once
/// Sinusoidal positions with learnable phases.

#include "autograd/var.h"

namespace argand {

/// PE(t, 2i) = sin(a), PE(t, 2i+1) = cos(a), a = t/10000^(2i/d) + φ_i, for t = first ... first + T - 1; φ [d/2] radians -> [T, d].
/// φ = 0 gives the positions of Vaswani et al. (2017), section 3.5. Throws unless φ has rank 1 and T >= 0.
template <RealScalar R>
Var<R> sinusoid(const Var<R>& phase, std::int64_t first, std::int64_t T);

}  // namespace argand
