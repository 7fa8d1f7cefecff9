#include "nn/families/crat/config.h"

#include <cmath>

#include "core/error.h"
#include "nn/decoder_config.h"

namespace argand {

void CratConfig::visit(KeyVisitor& f) {
  f("baseline", baseline, "instead of CRAT, a real decoder with RoPE that retrieves like RETRO or Fusion-in-Decoder");
  if (baseline != Baseline::None) {
    f("irw_layers", irw_layers, "layers that read passages, counted from 0");
    f("irw_top_k", irw_top_k, "passages read for each chunk of text");
    f("encoder_layers", encoder_layers, "layers of the passage encoder");
    return;
  }
  f("states", states, "complex states, or the ablation without imaginary parts (then attention is dot)");
  f("attention", attention, "scores from phases alone, or the dot product");
  f("angular_reduce", angular_reduce, "angular scores summed over a head's components, or averaged");
  f("phase_offsets", phase_offsets, "learnable phases of the positions' sinusoids");
  f("rotation", rotation, "rotate states by learned angles (complex states only)");
  f("irw_layers", irw_layers, "layers with an Imaginary Reflection Window, counted from 0; none by default");
  f("irw_dim", irw_dim, "width of the window's queries and passage encodings");
  f("irw_top_k", irw_top_k, "passages that each token reads");
  f("irw_temperature", irw_temperature, "temperature of the softmax over the passages read");
}

namespace {

void validate_baseline(const CratConfig& own, const ModelConfig& c) {
  require(c.task == TextTask::Lm, "config", "baseline {} is for language models; classifiers need baseline none",
          word_of(own.baseline));
  require(!own.irw_layers.empty(), "config", "baseline {} needs irw_layers, the layers that read passages", word_of(own.baseline));
  require_size("encoder_layers", own.encoder_layers, 1000);
  require_pairs(c);
}

void validate_states(const CratConfig& own, const ModelConfig& c) {
  require(own.states == StateKind::Complex || own.attention == ScoreKind::Dot, "config",
          "real states have no phases; choose states complex or attention dot");
  require(c.d_model % 2 == 0 && c.d_ff % 2 == 0, "config", "CRAT needs an even d_model and d_ff, got {} and {}", c.d_model, c.d_ff);
  require(own.states == StateKind::Real || c.d_model % (2 * c.n_heads) == 0, "config",
          "complex heads need an even width: 2 * n_heads {} does not divide d_model {}", c.n_heads, c.d_model);
  require_size("irw_dim", own.irw_dim, 1'000'000);
}

}  // namespace

void CratConfig::validate(const ModelConfig& c) const {
  baseline == Baseline::None ? validate_states(*this, c) : validate_baseline(*this, c);
  require_size("irw_top_k", irw_top_k, 1'000'000);
  require(irw_temperature > 0 && std::isfinite(irw_temperature), "config", "irw_temperature must be positive, got {}",
          irw_temperature);
  for (std::size_t i = 0; i < irw_layers.size(); ++i) {
    require(irw_layers[i] >= 0 && irw_layers[i] < c.n_layers, "config", "irw_layers contains layer {}, but layers run from 0 to {}",
            irw_layers[i], c.n_layers - 1);
    require(i == 0 || irw_layers[i] > irw_layers[i - 1], "config", "irw_layers must be strictly increasing");
  }
}

}  // namespace argand
