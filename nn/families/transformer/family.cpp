/// The `transformer` baseline: the real decoder with learned, sinusoidal or rotary positions; layer or RMS norm; GELU or SwiGLU;
/// optional QK-norm; tied or untied embeddings.

#include "nn/family.h"
#include "nn/decoder.h"
#include "nn/families/transformer/config.h"
#include "nn/invariance.h"

namespace argand {
namespace {

template <RealScalar R>
std::unique_ptr<Model<R>> make_transformer(const ModelConfig& config, std::uint64_t seed) {
  return std::make_unique<Decoder<R>>(
      config, seed, [&](Init& init) { return std::make_unique<DotAttention<R>>(init, dot_attention_options(config)); });
}

}  // namespace

KeyTexts transformer_row(const std::string& position) {
  return {{"family", "transformer"}, {"position", position}, {"scale_embeddings", position == "rope" ? "false" : "true"}};
}

Family transformer_family() {
  return {.name = "transformer",
          .title = "the real baseline: nothing is complex",
          .configuration = [] { return std::make_unique<TransformerConfig>(); },
          .make_float = make_transformer<float>,
          .make_double = make_transformer<double>,
          .invariances = dot_decoder_invariances,
          .report = {.history = {"attn.q_norm.weight", "attn.k_norm.weight"}}};
}

}  // namespace argand
