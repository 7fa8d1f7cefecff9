/// ComplexFormer: the decoder with phase attention and the phase contrastive loss.

#include "nn/family.h"

#include "nn/families/complexformer/head_table.h"
#include "nn/families/complexformer/invariances.h"
#include "nn/families/complexformer/model.h"
#include "nn/families/complexformer/phase_attention.h"
#include "nn/layer_check.h"

namespace argand {
namespace {

Variants complexformer_variants() {
  return {
      .task = "lm",
      .preset = "small",
      .rows = {{"full", "ComplexFormer, δ and b per head, phase contrastive loss", {{"pcl_weight", "0.01"}}},
               {"shared", "δ and b shared by the heads (EulerFormer)", {{"adaptation", "shared"}, {"pcl_weight", "0.01"}}},
               {"fixed", "δ = 1, b = 0", {{"adaptation", "fixed"}, {"pcl_weight", "0.01"}}},
               {"without-pcl", "without the phase contrastive loss", {}},
               {"rope", "transformer with RoPE", transformer_row("rope")},
               {"learned", "transformer, learned positions", transformer_row("learned")},
               {"sinusoidal", "transformer, sinusoidal positions", transformer_row("sinusoidal")},
               {"rope-scaled",
                "transformer with RoPE, embeddings scaled like those of learned and sinusoidal",
                {{"family", "transformer"}, {"position", "rope"}, {"scale_embeddings", "true"}},
                true},
               {"rope-frequencies", "as without-pcl, with RoPE's frequencies", {{"frequencies", "rope"}}, true},
               {"fixed-rope",
                "the same with δ = 1, b = 0: RoPE itself, without biases",
                {{"frequencies", "rope"}, {"adaptation", "fixed"}},
                true},
               {"moduli", "as without-pcl, with δ = 0, b = 0: only the moduli of q and k count", {{"adaptation", "moduli"}}, true}},
      .interventions = {"delta=0", "phase_bias=0", "delta=0,phase_bias=0"}};
}

std::vector<LayerCheck> complexformer_layers() {
  std::vector<LayerCheck> checks;
  for (const bool causal : {false, true})
    for (const Adaptation adaptation : every<Adaptation>())
      checks.push_back({"PhaseAttention, " + word_of(adaptation) + (causal ? ", causal" : ""), [=](Init& init) {
                          ModelConfig config = layer_check_config("complexformer");
                          config.own<ComplexFormerConfig>().adaptation = adaptation;
                          return attended<double>(std::make_shared<PhaseAttention<double>>(init, config), causal);
                        }});
  return checks;
}

template <RealScalar R>
std::unique_ptr<Model<R>> make_complexformer(const ModelConfig& config, std::uint64_t seed) {
  return std::make_unique<ComplexFormer<R>>(config, seed);
}

}  // namespace

Family complexformer_family() {
  return {
      .name = "complexformer",
      .title = "queries and keys are complex, and each head learns to scale and shift their phases",
      .configuration = [] { return std::make_unique<ComplexFormerConfig>(); },
      .make_float = make_complexformer<float>,
      .make_double = make_complexformer<double>,
      .variants = complexformer_variants(),
      .checks = {.values = {{"pcl_weight", {"0.5"}}}, .layers = complexformer_layers},
      .invariances = complexformer_invariances,
      .diagnostics = {.spreads = {"delta", "phase_bias"},
                      .heading = "what the heads learned, mean ± standard deviation over frequencies",
                      .table = head_table},
      .report = {.panel = "heads", .phases = "θq and θk, before δ, b and positions.", .history = {"attn.delta", "attn.phase_bias"}},
      .demo = {{"ComplexFormer", "complexformer", {{"family", "complexformer"}, {"position", "none"}}},
               {"Transformer, RoPE", "transformer-rope", {{"family", "transformer"}, {"position", "rope"}}}}};
}

}  // namespace argand
