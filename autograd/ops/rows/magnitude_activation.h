#pragma once
/// Activations that change a number's magnitude but not its direction: f(|z|) z/|z|.

#include "autograd/ops/rows/magnitude.h"

namespace argand {

/// GELU(|z|) z/|z| = Φ(|z|) z. x [..., parts·D].
template <RealScalar R>
Var<R> magnitude_gelu(const Var<R>& x, const Measure<R>& measure);

/// ReLU(|z| + c) z/|z| with c real [D], one value per number in the last axis.
template <RealScalar R>
Var<R> magnitude_modrelu(const Var<R>& x, const Var<R>& c, const Measure<R>& measure);

/// ReLU(|z|) z/|z|, as in the QIC paper. |z| is never negative, so **this is the identity** and a feed-forward layer with it is
/// linear. Kept because the paper's tables were made with it.
template <RealScalar R>
Var<R> magnitude_relu(const Var<R>& x, const Measure<R>& measure);

}  // namespace argand
