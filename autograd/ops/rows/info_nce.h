#pragma once
/// InfoNCE over the positions of a sequence, for the phase contrastive loss.

#include "autograd/var.h"

namespace argand {

/// s [B, T, T]: similarity of anchor m and position n, already divided by the temperature. The positive p of anchor m is the latest
/// earlier position with the same token id; its negatives are all positions with another id:
///     L = mean over anchors that have a positive of  log(e^{s_mp} + Σ_negatives e^{s_mn}) - s_mp
/// 0 when no position has a positive. Throws unless tokens are [B, T].
template <RealScalar R>
Var<R> info_nce(const Var<R>& s, const Ids& tokens);

}  // namespace argand
