#include "apps/ablation_tables.h"

#include "apps/command_line.h"
#include "nn/config.h"

namespace argand {
namespace {

AblationTable complexformer() {
  return {.family = "complexformer",
          .task = "lm",
          .preset = "small",
          .source = "table 4",
          .rows = {{"full",
                    "ComplexFormer, δ and b per head, phase contrastive loss",
                    {{"family", "complexformer"}, {"pcl_weight", "0.01"}}},
                   {"shared",
                    "δ and b shared by the heads (EulerFormer)",
                    {{"family", "complexformer"}, {"adaptation", "shared"}, {"pcl_weight", "0.01"}}},
                   {"fixed", "δ = 1, b = 0", {{"family", "complexformer"}, {"adaptation", "fixed"}, {"pcl_weight", "0.01"}}},
                   {"without-pcl", "without the phase contrastive loss", {{"family", "complexformer"}}},
                   {"rope", "transformer with RoPE", {{"family", "transformer"}, {"position", "rope"}}}}};
}

AblationTable crope() {
  AblationTable table{.family = "crope", .task = "lm", .preset = "small", .source = "figures 4 and 5", .rows = {}};
  const auto add = [&](const char* mode, const char* what) {
    table.rows.push_back({mode, what, {{"family", "crope"}, {"optimizer", "muon"}, {"mode", mode}}});
  };
  add("none", "dense q, k, v, o");
  add("qk", "complex-linear q, k");
  add("qkv", "complex-linear q, k, v");
  add("all", "complex-linear q, k, v, o");
  add("half_qk", "dense q, k of half the width");
  add("half_all", "dense q, k, v, o of half the width");
  return table;
}

AblationTable crat() {
  AblationTable table{.family = "crat", .task = "lm", .preset = "small", .source = "table 6", .rows = {}};
  const auto add = [&](const char* name, const char* what, std::vector<std::pair<std::string, std::string>> settings,
                       bool window = true) {
    settings.insert(settings.begin(), {"family", "crat"});
    if (window) settings.push_back({"irw_layers", "1"});
    table.rows.push_back({name, what, std::move(settings)});
  };
  add("full", "CRAT with an Imaginary Reflection Window in layer 1", {});
  add("without-irw", "without the window", {}, false);
  add("dot", "dot-product instead of angular attention", {{"attention", "dot"}});
  add("without-rotation", "states not rotated", {{"rotation", "false"}});
  add("without-phase-offsets", "positions without phase offsets", {{"phase_offsets", "false"}});
  add("real", "real states, dot-product attention", {{"states", "real"}, {"attention", "dot"}});
  return table;
}

AblationTable qic() {
  AblationTable table{
      .family = "qic", .task = "classify", .preset = "qic-paper", .source = "table 2 and the comparison", .rows = {}};
  const auto add = [&](const char* name, const char* what, std::vector<std::pair<std::string, std::string>> settings,
                       const char* paper = "") {
    settings.insert(settings.begin(), {"family", "qic"});
    table.rows.push_back({name, what, std::move(settings), paper});
  };
  // The paper's model starts at π/4, where the gradient of θ vanishes; argand's default is π/6. Its figures are those of the
  // author's repository, bhargavpatel431997/Quantum-Inspired-Complex-QIC-Transformer, Neurips2025/readme.md.
  table.note = "The paper's figures are those of the author's repository, for AG News and models of 4 layers.";
  add("learned", "QIC, θ per head, block and model, from π/6", {});
  add("learned-from-pi4", "the same from π/4, the author's start", {{"theta_init", "0.78539816339744831"}}, "78.0 ± 0.9");
  add("global", "one θ per attention", {{"theta", "global"}});
  add("fixed-0", "θ = 0: complex numbers", {{"theta", "fixed"}, {"theta_init", "0"}});
  add("fixed-pi4", "θ = π/4: dual numbers", {{"theta", "fixed"}, {"theta_init", "0.78539816339744831"}});
  add("algebraic", "weights by the algebra's own norm", {{"magnitude", "algebraic"}});
  add("complex", "complex numbers with fixed i", {{"algebra", "complex"}});
  add("phase-gates", "the same with learnable phase gates", {{"algebra", "phase_gates"}});
  add("quaternion", "quaternions", {{"algebra", "quaternion"}});
  add("real", "real numbers, as many parameters", {{"algebra", "real"}});
  table.rows.push_back({"standard",
                        "standard transformer of the paper",
                        {{"family", "qic"}, {"algebra", "standard"}, {"n_layers", "4"}, {"d_ff", "512"}},
                        "73.3 ± 1.2"});
  return table;
}

}  // namespace

std::string ablation_families() { return "complexformer|crope|crat|qic"; }

AblationTable ablation_table(const std::string& family) {
  if (family == "complexformer") return complexformer();
  if (family == "crope") return crope();
  if (family == "crat") return crat();
  if (family == "qic") return qic();
  usage_fail("ablate", "\"{}\" has no table; there are those of {}{}", family, ablation_families(),
             did_you_mean(family, split_choices(ablation_families())));
}

}  // namespace argand
