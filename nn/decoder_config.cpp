#include "nn/decoder_config.h"

#include <cmath>

#include "core/error.h"

namespace argand {

void DecoderConfig::visit(KeyVisitor& f) {
  f("position", position, "position encoding");
  f("rope_base", rope_base, "base of the rotary frequencies");
  f("norm", norm, "normalisation before each sub-layer");
  f("ffn", ffn, "feed-forward layer");
  f("attn_bias", attn_bias, "biases in q, k, v, o");
  f("ffn_bias", ffn_bias, "biases in the feed-forward layer");
  f("qk_norm", qk_norm, "RMS norm of each head's queries and keys");
  f("tie_embeddings", tie_embeddings, "use the embedding as the output layer");
  f("scale_embeddings", scale_embeddings, "multiply token embeddings by sqrt(d_model), so that positions do not dominate");
  f("embedding_std", embedding_std,
    "initial standard deviation of token embeddings; 0 chooses 1/sqrt(d_model) if they are scaled, 0.02 if tied, 0.5 otherwise");
}

void DecoderConfig::validate(const ModelConfig& config) const {
  if (position == PositionKind::Rope) require_pairs(config);
  require(position != PositionKind::Sinusoidal || config.d_model % 2 == 0, "config",
          "sinusoidal positions need an even d_model, got {}", config.d_model);
  require(embedding_std >= 0 && std::isfinite(embedding_std), "config", "embedding_std cannot be negative, got {}", embedding_std);
  require(rope_base > 0 && std::isfinite(rope_base), "config", "rope_base must be positive, got {}", rope_base);
}

void require_pairs(const ModelConfig& config) {
  require(config.d_model / config.n_heads % 2 == 0, "config",
          "each head needs an even width to form pairs: d_model {} / n_heads {} = {}", config.d_model, config.n_heads,
          config.d_model / config.n_heads);
}

}  // namespace argand
