#pragma once
/// The configuration of the family complexformer.

#include "nn/decoder_config.h"

namespace argand {

/// Scope of δ and the phase bias b. fixed: δ = 1 and b = 0; moduli: δ = 0 and b = 0, which ignores the phases of q and k; bias:
/// δ = 0 and b per head. `moduli` and `bias` are not in the paper; they show what the phases contribute.
enum class Adaptation { PerHead, Shared, Fixed, Magnitudes, Bias };
constexpr const char* words_of(Adaptation) { return "per_head|shared|fixed|moduli|bias"; }

/// ω_j = base^(-4j/d_k), as in the paper, or RoPE's base^(-2j/d_k).
enum class FrequencyLaw { Paper, Rope };
constexpr const char* words_of(FrequencyLaw) { return "paper|rope"; }

struct ComplexFormerConfig final : ConfigOf<ComplexFormerConfig, DecoderConfig> {
  Adaptation adaptation = Adaptation::PerHead;
  FrequencyLaw frequencies = FrequencyLaw::Paper;
  double pcl_weight = 0;
  double pcl_temperature = 0.1;

  ComplexFormerConfig();
  void visit(KeyVisitor& f) override;
  void validate(const ModelConfig& config) const override;
};

}  // namespace argand
