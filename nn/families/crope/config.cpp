#include "nn/families/crope/config.h"

#include "core/error.h"

namespace argand {

CropeConfig::CropeConfig() {
  position = PositionKind::Rope;
  rope_base = 5000;
  norm = NormKind::RmsNorm;
  ffn = FeedForwardKind::SwiGlu;
  attn_bias = ffn_bias = false;
  qk_norm = true;
}

void CropeConfig::visit(KeyVisitor& f) {
  DecoderConfig::visit(f);
  f("mode", mode, "which attention projections are complex-linear or have half the width");
}

void CropeConfig::validate(const ModelConfig& config) const {
  require_pairs(config);
  DecoderConfig::validate(config);
  const bool half = mode == CropeMode::HalfQk || mode == CropeMode::HalfAll;
  require(!half || config.d_model % (4 * config.n_heads) == 0, "config",
          "mode {} halves the head width, which must stay even: 4 * n_heads {} does not divide d_model {}", word_of(mode),
          config.n_heads, config.d_model);
}

}  // namespace argand
