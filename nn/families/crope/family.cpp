/// CRoPE: the decoder with RMSNorm, SwiGLU, RoPE with base 5000, QK-norm, tied embeddings and no biases. Its attention projections
/// are complex-linear on the interleaved pairs that RoPE rotates.

#include "nn/family.h"

#include "nn/decoder.h"
#include "nn/families/crope/attention.h"
#include "nn/families/crope/config.h"
#include "nn/invariance.h"
#include "nn/layer_check.h"

namespace argand {
namespace {

template <RealScalar R>
std::unique_ptr<Model<R>> make_crope(const ModelConfig& config, std::uint64_t seed) {
  return std::make_unique<Decoder<R>>(config, seed,
                                      [&](Init& init) { return std::make_unique<DotAttention<R>>(init, crope_attention(config)); });
}

// These learning rates, 2e-3 to 4e-4, are for Muon: twenty times AdamW's.
KeyTexts crope_paper() {
  return {{"n_layers", "16"},      {"d_model", "1024"}, {"n_heads", "8"},   {"d_ff", "1024"},       {"max_seq_len", "512"},
          {"length", "512"},       {"batch", "64"},     {"steps", "30000"}, {"optimizer", "muon"},  {"lr", "1e-4"},
          {"muon_lr_scale", "20"}, {"final_lr", "0.2"}, {"warmup", "50"},   {"weight_decay", "0.1"}};
}

Variants crope_variants() {
  const auto row = [](const char* mode, const char* what) { return Variant{mode, what, {{"optimizer", "muon"}, {"mode", mode}}}; };
  return {.task = "lm",
          .preset = "small",
          .rows = {row("none", "dense q, k, v, o"), row("qk", "complex-linear q, k"), row("qkv", "complex-linear q, k, v"),
                   row("all", "complex-linear q, k, v, o"), row("half_qk", "dense q, k of half the width"),
                   row("half_all", "dense q, k, v, o of half the width")}};
}

std::vector<LayerCheck> crope_layers() {
  std::vector<LayerCheck> checks;
  for (const bool causal : {false, true})
    for (const CropeMode mode : every<CropeMode>())
      checks.push_back({"DotAttention, " + word_of(mode) + (causal ? ", causal" : ""), [=](Init& init) {
                          ModelConfig config = layer_check_config("crope");
                          config.own<CropeConfig>().mode = mode;
                          return attended<double>(std::make_shared<DotAttention<double>>(init, crope_attention(config)), causal);
                        }});
  return checks;
}

}  // namespace

Family crope_family() {
  return {.name = "crope",
          .title = "the projections of a rotary transformer are complex-linear: half of the attention's parameters",
          .configuration = [] { return std::make_unique<CropeConfig>(); },
          .make_float = make_crope<float>,
          .make_double = make_crope<double>,
          .presets = {{"paper", "lm", crope_paper()}},
          .variants = crope_variants(),
          .checks = {.layers = crope_layers},
          .invariances = dot_decoder_invariances,
          .report = {.panel = "gains", .history = {"attn.q_norm.weight", "attn.k_norm.weight"}, .weight_phases = true}};
}

}  // namespace argand
