/// CRAT: complex states that attend to each other by phase, and windows that retrieve passages.

#include "nn/family.h"

#include "nn/families/crat/baseline_decoder.h"
#include "nn/families/crat/invariances.h"
#include "nn/families/crat/model.h"
#include "nn/layer_check.h"

namespace argand {
namespace {

template <RealScalar R>
std::unique_ptr<Model<R>> make_crat(const ModelConfig& config, std::uint64_t seed) {
  if (config.own<CratConfig>().baseline != Baseline::None) return std::make_unique<BaselineDecoder<R>>(config, seed);
  if (config.own<CratConfig>().states == StateKind::Real) return std::make_unique<Crat<R>>(config, seed);
  return std::make_unique<Crat<std::complex<R>>>(config, seed);
}

// Settings not specified in the paper are taken from the other families; as usual, d_ff is four times d_model.
KeyTexts crat_paper() {
  return {{"n_layers", "12"},     {"d_model", "768"},      {"n_heads", "8"}, {"d_ff", "3072"},  {"dropout", "0.1"},
          {"max_seq_len", "512"}, {"length", "512"},       {"batch", "8"},   {"steps", "5000"}, {"lr", "1e-4"},
          {"final_lr", "0"},      {"warmup", "5%"},        {"clip", "1"},    {"beta1", "0.9"},  {"beta2", "0.98"},
          {"eps", "1e-9"},        {"weight_decay", "0.01"}};
}

Variants crat_variants() {
  const auto row = [](const char* name, const char* what, KeyTexts settings) {
    settings.push_back({"irw_layers", "1"});
    return Variant{name, what, std::move(settings)};
  };
  const auto reader = [](const char* name, const char* what, const char* layers) {
    return Variant{name, what, {{"baseline", name}, {"irw_layers", layers}, {"irw_top_k", "2"}}};
  };
  KeyTexts untied = transformer_row("rope");
  untied.push_back({"tie_embeddings", "false"});
  return {.task = "lm",
          .preset = "small",
          .rows = {row("full", "CRAT with an Imaginary Reflection Window in layer 1", {}),
                   {"without-irw", "without the window", {}},
                   row("dot", "dot-product instead of angular attention", {{"attention", "dot"}}),
                   row("without-rotation", "states not rotated", {{"rotation", "false"}}),
                   row("without-phase-offsets", "positions without phase offsets", {{"phase_offsets", "false"}}),
                   row("real", "real states, dot-product attention", {{"states", "real"}, {"attention", "dot"}}),
                   reader("retro", "RETRO: a real decoder reads the encodings of 2 neighbours of each chunk in layer 1", "1"),
                   reader("fid",
                          "Fusion-in-Decoder: the decoder reads the neighbours in all layers, each encoded with the chunk's words",
                          "0, 1"),
                   {"transformer", "transformer, learned positions", transformer_row("learned")},
                   {"rope", "transformer with RoPE", transformer_row("rope")},
                   {"rope-untied", "the same with a separate output layer, as in CRAT", untied}}};
}

/// Test case: a reflection window as a function of states, parameters and embeddings.
template <Scalar T>
LayerLoss reflected(Init& init) {
  const auto window = std::make_shared<ReflectionWindow<T>>(init, 4, 6, 3, 2, 0.7);
  const Var<T> z = layer_input<T>({2, 3, 4});
  const Var<double> table = init.normal<double>(Role::Output, {6, 6}, 1), bias = init.normal<double>(Role::Bias, {6}, 1);
  const auto passages =
      std::make_shared<Ids>(Shape{5, 3}, std::vector<Ids::value_type>{1, 2, 3, 4, 5, 1, 2, 2, 4, 3, 5, 5, 0, 1, 4});
  return {[=] {
            const std::vector<RowRange> excluded{{0, 2}, {4, 4}};
            PassageMeans<double> means(*passages, table, bias);
            return weighed<T>((*window)(z, means, {.excluded = excluded}));
          },
          with_parameters_of(*window, {{"states", z}, {"embedding", table}, {"embedding bias", bias}})};
}

/// Test case for a baseline's passage encoder: two passages of three tokens for each of two chunks of two tokens.
LayerLoss encoded(Init& init, bool attends_to_text) {
  const auto encoder = std::make_shared<NeighbourEncoder<double>>(init, layer_check_config("crat"), 1, attends_to_text);
  const Var<double> passages = layer_input<double>({2, 2, 3, 8}), text = init.normal<double>(Role::Output, {2, 2, 8}, 1);
  ParameterList<double> inputs = {{"passages", passages}};
  if (attends_to_text) inputs.push_back({"text", text});
  return {[=] {
            ForwardPass pass(ForwardContext{}, 0);
            return weighed<double>((*encoder)(passages, attends_to_text ? &text : nullptr, pass));
          },
          with_parameters_of(*encoder, inputs)};
}

/// Test case for reading by chunk: five tokens in chunks of two, each chunk with two passages of three tokens.
LayerLoss read_by_chunk(Init& init, std::optional<double> rope_base) {
  const auto layer = std::make_shared<CrossAttention<double>>(init, 8, 2, rope_base);
  const Var<double> h = layer_input<double>({2, 5, 8}), memory = init.normal<double>(Role::Output, {4, 6, 8}, 1);
  return {[=] {
            ForwardPass pass(ForwardContext{}, 0);
            ChunkReader<double> chunks(Ids({2, 5}), 0, 2, nullptr);
            chunks.set_encodings(memory);
            return weighed<double>(chunks.read(h, [&](const Var<double>& queries, const Var<double>& found) {
              return (*layer)(queries, found, pass, {.first = 1}, {.first = 0, .period = 3});
            }));
          },
          with_parameters_of(*layer, {{"states", h}, {"memory", memory}})};
}

std::vector<LayerCheck> crat_layers() {
  const auto config_with = [](ScoreKind attention, AngularReduce reduce) {
    ModelConfig config = layer_check_config("crat");
    config.own<CratConfig>().attention = attention;
    config.own<CratConfig>().angular_reduce = reduce;
    return config;
  };
  using C = std::complex<double>;
  const ModelConfig angular = config_with(ScoreKind::Angular, AngularReduce::Sum),
                    mean = config_with(ScoreKind::Angular, AngularReduce::Mean),
                    dot = config_with(ScoreKind::Dot, AngularReduce::Sum);
  std::vector<LayerCheck> checks;
  for (const bool causal : {false, true})
    for (const auto& [name, config] : {std::pair{"angular", angular}, std::pair{"mean", mean}, std::pair{"dot", dot}})
      checks.push_back({fmt::format("AngularAttention, {}{}", name, causal ? ", causal" : ""), [=, config = config](Init& init) {
                          return attended<C>(std::make_shared<AngularAttention<C>>(init, 4, config), causal, 4);
                        }});
  checks.push_back({"AngularAttention, dot, real states",
                    [=](Init& init) { return attended<double>(std::make_shared<AngularAttention<double>>(init, 8, dot), true); }});
  checks.push_back({"ReflectionWindow, complex", reflected<C>});
  checks.push_back({"ReflectionWindow, real", reflected<double>});
  checks.push_back({"NeighbourEncoder of retro", [](Init& init) { return encoded(init, true); }});
  checks.push_back({"NeighbourEncoder of fid", [](Init& init) { return encoded(init, false); }});
  checks.push_back({"chunked CrossAttention of retro", [](Init& init) { return read_by_chunk(init, CratConfig::rope_base); }});
  checks.push_back({"chunked CrossAttention of fid", [](Init& init) { return read_by_chunk(init, std::nullopt); }});
  return checks;
}

}  // namespace

Family crat_family() {
  return {
      .name = "crat",
      .title = "the states are complex; heads attend by phase, and windows look up passages by the imaginary parts",
      .configuration = [] { return std::make_unique<CratConfig>(); },
      .make_float = make_crat<float>,
      .make_double = make_crat<double>,
      .uses_retrieval = true,
      .presets = {{"paper", "lm", crat_paper()}},
      .variants = crat_variants(),
      .checks = {.sizes = {{"irw_layers", "1"}, {"irw_dim", "3"}, {"irw_top_k", "2"}},
                 .values = {{"irw_layers", {"[]", "[0, 1]"}}, {"irw_temperature", {"0.3"}}},
                 .joint = {{"states=real", "lm", {{"states", "real"}, {"attention", "dot"}}},
                           {"baseline=retro in all layers", "lm", {{"baseline", "retro"}, {"irw_layers", "[0, 1]"}}},
                           {"baseline=fid in all layers", "lm", {{"baseline", "fid"}, {"irw_layers", "[0, 1]"}}}},
                 .layers = crat_layers},
      .invariances = crat_invariances,
      .report = {.panel = "offsets",
                 .phases =
                     "Phases of the complex queries and keys, the only inputs of the angular scores; for the baselines, phases of "
                     "the pairs that RoPE rotates, before the rotation.",
                 .history = {"position.phase"}}};
}

}  // namespace argand
