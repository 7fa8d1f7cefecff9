#pragma once
/// CRoPE's attention: dot attention with rotary positions and projections that are complex-linear on the rotated pairs.

#include "nn/attention/dot_attention.h"
#include "nn/config.h"

namespace argand {

/// The DotAttention options that correspond to this CRoPE configuration.
DotAttentionOptions crope_attention(const ModelConfig& config);

}  // namespace argand
