#pragma once
/// Attention on the magnitude of the product of query and key: softmax(scale · |Q Kᵀ|) V, for QIC numbers and quaternions.

#include "autograd/ops/attention/attention.h"
#include "autograd/ops/rows/magnitude.h"

namespace argand {

/// S_mn = Σ_j q_mj k_nj in the algebra of the head's θ (QIC, 2 parts) or by Hamilton's product with q left of k (4 parts). The
/// weights are softmax(scale · |S|) over the visible keys and apply to all parts of v alike. Conjugated keys enter as a - bJ, or a
/// - bi - cj - dk.
/// q [B, Tq, H·d_k·parts], k [B, Tk, H·d_k·parts], v [B, Tk, H·d_v] -> [B, Tq, H·d_v]; real, with pairs as in view_as_real.
/// θ, [H] or [1] for all heads, is shared by the algebra and the measure. Throws `magnitude_attention: ...`.
template <RealScalar R>
Var<R> magnitude_attention(const Var<R>& q, const Var<R>& k, const Var<R>& v, const Measure<R>& measure, bool conjugate_keys,
                           const AttentionOptions& options);

}  // namespace argand
