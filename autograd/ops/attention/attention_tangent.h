#pragma once
/// Tangents of attention as expressions of plain ops, on all scores of a head at once: O(T²) memory, unlike the tiled ops
/// themselves.

#include "autograd/ops/attention/attention_loops.h"

namespace argand {

/// ȯ of o = P̃ v, P̃ = M̃ ∘ P, P = softmax(s) over the visible keys (attention.h). By the rules for products and the softmax,
///
///     ȯ = (M̃ ∘ Ṗ) v + P̃ v̇,   Ṗ = P ∘ (ṡ - Σ P ṡ)
///
/// s [B, H, Tq, Tk], scaled, and v [B, Tk, H d_v], both with their tangents -> [B, Tq, H d_v].
template <RealScalar R>
Var<R> weighting_tangent(const AttentionLoops<R>& loops, const Var<R>& scores, const Var<R>& v);

/// ȯ of attention(q, k, v, options), with ṡ = scale (q̇ kᵀ + q k̇ᵀ); q, k and v carry their tangents.
template <RealScalar R>
Var<R> attention_tangent(const Var<R>& q, const Var<R>& k, const Var<R>& v, const AttentionOptions& options);

/// [B, T, H d] -> [B, H, T, d], with the tangent.
template <RealScalar R>
Var<R> heads_first(const Var<R>& x, std::int64_t H);

}  // namespace argand
