#pragma once
/// CRAT's angular attention: scores measure how well the phases of two complex vectors agree, regardless of their magnitudes.

#include "autograd/ops/attention/attention.h"

namespace argand {

/// softmax(S) V with S_mn = scale · Σ_j cos(arg Q_mj - arg K_nj), j over a head's components, head by head.
/// Q [B, Tq, H·d_h], K [B, Tk, H·d_h], V [B, Tk, H·d_v], all complex -> [B, Tq, H·d_v]; heads split the last axis in order.
/// A component that is 0 has no phase: it adds nothing to the score, and its gradient is 0. Options as for attention().
/// Throws `angular_attention: ...` for mismatched shapes or invalid options. Source: CRAT; scale = 1/sqrt(d_h).
template <RealScalar R>
Var<std::complex<R>> angular_attention(const Var<std::complex<R>>& Q, const Var<std::complex<R>>& K, const Var<std::complex<R>>& V,
                                       const AttentionOptions& options);

}  // namespace argand
