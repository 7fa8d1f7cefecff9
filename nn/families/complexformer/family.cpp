/// ComplexFormer: the decoder with phase attention and the phase contrastive loss.

#include "nn/family.h"

#include "nn/families/complexformer/head_table.h"
#include "nn/families/complexformer/model.h"
#include "nn/families/complexformer/phase_attention.h"
#include "nn/layer_check.h"

namespace argand {
namespace {

AblationTable complexformer_ablation() {
  return {
      .task = "lm",
      .preset = "small",
      .source = "tables 4 and 1: perplexity of generated text",
      .rows =
          {{"full", "ComplexFormer, δ and b per head, phase contrastive loss", {{"pcl_weight", "0.01"}}, "40.5"},
           {"shared", "δ and b shared by the heads (EulerFormer)", {{"adaptation", "shared"}, {"pcl_weight", "0.01"}}, "42.3"},
           {"fixed", "δ = 1, b = 0", {{"adaptation", "fixed"}, {"pcl_weight", "0.01"}}, "43.5"},
           {"without-pcl", "without the phase contrastive loss", {}, "41.5"},
           {"rope", "transformer with RoPE", transformer_row("rope"), "42.9"},
           {"learned", "transformer, learned positions", transformer_row("learned"), "table 1: 45.8 ± 0.7"},
           {"sinusoidal", "transformer, sinusoidal positions", transformer_row("sinusoidal"), "table 1: 43.2 ± 0.6"},
           {"rope-scaled",
            "transformer with RoPE, embeddings scaled like those of learned and sinusoidal",
            {{"family", "transformer"}, {"position", "rope"}, {"scale_embeddings", "true"}},
            "",
            true},
           {"rope-frequencies", "as without-pcl, with RoPE's frequencies", {{"frequencies", "rope"}}, "", true},
           {"fixed-rope",
            "the same with δ = 1, b = 0: RoPE itself, without biases",
            {{"frequencies", "rope"}, {"adaptation", "fixed"}},
            "",
            true},
           {"moduli", "as without-pcl, with δ = 0, b = 0: of q and k only the moduli count", {{"adaptation", "moduli"}}, "", true}},
      .claims =
          {{"40.5 against 41.5 without the phase contrastive loss", "full", "without-pcl"},
           {"41.5 without it against 42.3 shared", "without-pcl", "shared"},
           {"42.3 shared against 42.9 with RoPE", "shared", "rope"},
           {"42.9 with RoPE against 43.5 fixed", "rope", "fixed"},
           {"40.5 against 42.9 with RoPE", "full", "rope"},
           {"table 1: RoPE 36.5 ± 0.5 against 38.1 ± 0.6 shared, the other way round than table 4", "rope", "shared"},
           {"table 1: RoPE 36.5 ± 0.5 against 43.2 ± 0.6 sinusoidal", "rope", "sinusoidal"},
           {"table 1: sinusoidal 43.2 ± 0.6 against 45.8 ± 0.7 learned", "sinusoidal", "learned"},
           {.paper = "table 1: GPT-2 base, about 124 million parameters, 39.5 ± 0.6",
            .out_of_reach = "needs its weights, which come of other text"},
           {.paper =
                "tables 2 and 3: Pass@1 of programs 14.6 and 17.5 against RoPE's 12.8 and 15.2; GSM8K 21.3 against 18.5, MATH 5.2 "
                "against 4.0",
            .out_of_reach = "needs models that write programs and do sums"},
           {.paper =
                "table 4: Pass@1 of HumanEval and GSM8K: 13.1 and 19.5; without the contrastive loss 12.5 and 18.7; shared 11.8 "
                "and 17.8; RoPE 11.5 and 17.0; fixed 10.5 and 16.2",
            .out_of_reach = "needs models that write programs and do sums"}},
      .interventions = {"delta=0", "phase_bias=0", "delta=0,phase_bias=0"},
      .note =
          "The paper's figures are another measure than ours: the perplexity, judged by GPT-2 Large, of 256 tokens that a model "
          "wrote. Table 4 is of models of WikiText-2. Table 1 is of prompts of WikiText-103, where the full model has 34.2 ± 0.4, "
          "the shared one 38.1 ± 0.6 and RoPE 36.5 ± 0.5: mean ± deviation of 3 runs. Its models have about 85 million "
          "parameters; that size, that corpus and the weights of GPT-2 Large are out of reach here.",
      .costs = "The paper: \"the complex operations add a small constant factor\"."};
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
      .ablation = complexformer_ablation(),
      .checks = {.values = {{"pcl_weight", {"0.5"}}}, .layers = complexformer_layers},
      .diagnostics = {.spreads = {"delta", "phase_bias"},
                      .heading = "what the heads have learnt, mean ± standard deviation over frequencies",
                      .table = head_table},
      .report = {.panel = "heads", .phases = "θq and θk, before δ, b and positions.", .history = {"attn.delta", "attn.phase_bias"}},
      .demo = {{"ComplexFormer", "complexformer", {{"family", "complexformer"}, {"position", "none"}}},
               {"Transformer, RoPE", "transformer-rope", {{"family", "transformer"}, {"position", "rope"}}}}};
}

}  // namespace argand
