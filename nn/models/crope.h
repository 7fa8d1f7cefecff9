#pragma once
/// CRoPE: the decoder with RMSNorm, SwiGLU, RoPE of base 5000, QK-norm, tied embeddings and no biases, whose attention projections
/// are complex-linear on interleaved pairs, as rotary positions already read them. DotAttention explains the modes.

#include "nn/models/decoder.h"

namespace argand {

template <RealScalar R>
class Crope final : public Decoder<R> {
 public:
  Crope(const ModelConfig& config, std::uint64_t seed);
};

}  // namespace argand
