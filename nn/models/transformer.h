#pragma once
/// The `transformer` baseline: learned, sinusoidal or rotary positions; layer or RMS norm; GELU or SwiGLU; QK-norm; tied or not.

#include "nn/models/decoder.h"

namespace argand {

template <RealScalar R>
class Transformer final : public Decoder<R> {
 public:
  Transformer(const ModelConfig& config, std::uint64_t seed);
};

}  // namespace argand
