#pragma once
/// Configuration keys shared by the decoder families (nn/decoder.h).

#include "nn/config.h"
#include "nn/layers.h"

namespace argand {

enum class PositionKind { None, Learned, Sinusoidal, Rope };
constexpr const char* words_of(PositionKind) { return "none|learned|sinusoidal|rope"; }

struct DecoderConfig : FamilyConfig {
  PositionKind position = PositionKind::Learned;
  double rope_base = 10000;
  NormKind norm = NormKind::LayerNorm;
  FeedForwardKind ffn = FeedForwardKind::Gelu;
  bool attn_bias = true;
  bool ffn_bias = true;
  bool qk_norm = false;
  bool tie_embeddings = true;
  bool scale_embeddings = false;
  double embedding_std = 0;  ///< 0: as nn/decoder.cpp chooses

  void visit(KeyVisitor& f) override;
  void validate(const ModelConfig& config) const override;
};

/// Throws unless the head dimension is even.
void require_pairs(const ModelConfig& config);

}  // namespace argand
