#include "nn/families/complexformer/config.h"

#include <cmath>

#include "core/error.h"

namespace argand {

ComplexFormerConfig::ComplexFormerConfig() {
  position = PositionKind::None;
  attn_bias = false;
}

void ComplexFormerConfig::visit(KeyVisitor& f) {
  DecoderConfig::visit(f);
  f("adaptation", adaptation,
    "delta and the phase bias: per head, shared, fixed at 1 and 0, both 0 (moduli), or only the bias learnt per head");
  f("frequencies", frequencies, "frequency law: base^(-4j/d_k) or base^(-2j/d_k)");
  f("pcl_weight", pcl_weight, "weight of the phase contrastive loss (0: none; the paper uses 0.01)");
  f("pcl_temperature", pcl_temperature, "temperature of the phase contrastive loss");
}

void ComplexFormerConfig::validate(const ModelConfig& config) const {
  require_pairs(config);
  DecoderConfig::validate(config);
  require(pcl_weight >= 0 && std::isfinite(pcl_weight), "config", "pcl_weight must not be negative, got {}", pcl_weight);
  require(pcl_temperature > 0, "config", "pcl_temperature must be positive, got {}", pcl_temperature);
}

}  // namespace argand
