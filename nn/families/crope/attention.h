#pragma once
/// CRoPE's attention: dot attention with rotary positions, whose projections are complex-linear on the pairs that they turn.

#include "nn/attention/dot_attention.h"
#include "nn/config.h"

namespace argand {

/// DotAttention as the configuration of a CRoPE model asks for it.
DotAttentionOptions crope_attention(const ModelConfig& config);

}  // namespace argand
