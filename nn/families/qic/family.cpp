/// QIC: a transformer over numbers a + bJ whose algebra is learnt, and the rows of its paper's table.

#include "nn/family.h"

#include <fmt/format.h>

#include "core/qic_algebra.h"
#include "nn/families/qic/checks.h"
#include "nn/families/qic/model.h"
#include "nn/families/qic/real_encoder.h"

namespace argand {
namespace {

template <RealScalar R>
std::unique_ptr<Model<R>> make_qic(const ModelConfig& config, std::uint64_t seed) {
  if (config.own<QicConfig>().is_real()) return std::make_unique<RealEncoder<R>>(config, seed);
  return std::make_unique<Qic<R>>(config, seed);
}

// The author's recipe; of 4 000 articles in batches of 32, 8 % of all steps are a warm-up of 50.
KeyTexts qic_paper() {
  return {{"n_layers", "2"},         {"d_model", "128"},     {"n_heads", "4"},      {"d_ff", "128"},
          {"dropout", "0.1"},        {"max_seq_len", "256"}, {"words", "5000"},     {"train_articles", "4000"},
          {"test_articles", "1000"}, {"batch", "32"},        {"epochs", "5"},       {"lr", "2e-3"},
          {"final_lr", "0.1"},       {"warmup", "8%"},       {"clip", "1"},         {"beta1", "0.9"},
          {"beta2", "0.98"},         {"eps", "1e-9"},        {"weight_decay", "0"}, {"eval_every", "-1"},
          {"checkpoint_every", "-1"}};
}

// The paper's model starts at π/4, where the gradient of θ vanishes; argand's default is π/6. Its figures are those of its slides;
// what they have of deviations is of the author's repository, bhargavpatel431997/Quantum-Inspired-Complex-QIC-Transformer,
// Neurips2025/readme.md.
AblationTable qic_ablation() {
  const std::string pi_4 = "0.78539816339744831";
  std::vector<AblationRow> rows = {
      {"learned", "QIC, θ per head, block and model, from π/6", {}},
      {"learned-from-pi4", "the same from π/4, the author's start", {{"theta_init", pi_4}}, "78.0 ± 0.9 (774 407)"},
      {"global", "one θ per attention", {{"theta", "global"}}, "76.4 (774 401)"},
      {"fixed-0", "θ = 0: complex numbers", {{"theta", "fixed"}, {"theta_init", "0"}}, "74.8 (774 396)"},
      {"fixed-pi4", "θ = π/4: dual numbers", {{"theta", "fixed"}, {"theta_init", pi_4}}, "75.2 (774 396)"},
      {"algebraic", "magnitudes by the algebra's own norm", {{"magnitude", "algebraic"}}},
      {"complex", "complex numbers with fixed i", {{"algebra", "complex"}}},
      {"phase-gates", "the same with learnable phase gates", {{"algebra", "phase_gates"}}, "75.6 (812 450)"},
      {"quaternion", "quaternions", {{"algebra", "quaternion"}}, "75.1 (806 200)"},
      {"real", "real numbers, as many parameters", {{"algebra", "real"}}, "73.1 (774 400)"},
      {"standard",
       "standard transformer of the paper",
       {{"algebra", "standard"}, {"n_layers", "4"}, {"d_ff", "512"}},
       "73.3 ± 1.2 (1 466 370)"}};
  const auto sensitivity = [&](const std::string& name, const std::string& what, KeyTexts settings, const std::string& paper = "") {
    rows.push_back({name, what, std::move(settings), paper, true});
  };
  sensitivity("learned-from-0", "from θ = 0", {{"theta_init", "0"}});
  sensitivity("learned-from-pi3", "from θ = π/3", {{"theta_init", "1.0471975511965976"}});
  sensitivity("learned-from-random", "from angles drawn between 0 and π/2", {{"theta_init", pi_4}, {"theta_spread", pi_4}});
  for (const char* rate : {"1e-4", "5e-4", "1e-3", "5e-3"})
    sensitivity(fmt::format("lr-{}", rate), fmt::format("learning rate {}", rate), {{"lr", rate}},
                std::string(rate) == "1e-3" ? "best" : "stable");
  for (const char* batch : {"16", "64", "128"})
    sensitivity(fmt::format("batch-{}", batch), fmt::format("batches of {} articles", batch), {{"batch", batch}}, "alike");
  std::vector<AblationClaim> claims;
  for (const auto& [row, what] : {std::pair{"fixed-pi4", "75.2 with θ fixed at π/4"},
                                  {"fixed-0", "74.8 with θ fixed at 0"},
                                  {"phase-gates", "75.6 with phase gates"},
                                  {"quaternion", "75.1 of quaternions"},
                                  {"real", "73.1 of real numbers"},
                                  {"standard", "73.3 of a standard transformer"}})
    claims.push_back({fmt::format("78.0 against {}", what), "learned-from-pi4", row});
  claims.push_back({"78.0 against 76.4 with one θ", "learned", "global"});
  const double apart = 0.6;  // "within ± 0.3"
  for (const char* row : {"learned-from-0", "learned", "learned-from-pi3", "learned-from-random"})
    claims.push_back({"initial θ: final accuracy within ± 0.3", "learned-from-pi4", row, apart});
  for (const char* row : {"lr-1e-4", "lr-5e-4", "lr-5e-3"}) claims.push_back({"learning rate 1e-3 is the best", "lr-1e-3", row});
  claims.push_back({.paper = "IMDB: 100.0 for QIC and for the standard transformer; an epoch takes 102.7 s against 115.1 s",
                    .out_of_reach = "needs IMDB; the table of costs has epochs of AG News"});
  return {.task = "classify",
          .preset = "qic-paper",
          .source = "accuracy, % (parameters)",
          .rows = std::move(rows),
          .claims = std::move(claims),
          .note = "The paper's figures are those of its slides, for AG News; the deviations are those of the author's repository.",
          .costs = "The paper: an epoch of IMDB takes QIC 102.7 s and the standard transformer 115.1 s, 10.8 % less."};
}

/// One line for each parameter called theta: its angles in radians, and their κ: -1 where J is i, 0 where numbers are dual.
std::vector<std::string> angle_table(const std::vector<NamedNumbers>& parameters) {
  std::vector<std::string> lines;
  for (const auto& [name, angles] : parameters) {
    if (!name_ends_with(name, "theta")) continue;
    std::string line = fmt::format("{:<24}", name);
    for (const double theta : angles) line += fmt::format("  {:.4f} ({:+.3f})", theta, kappa(theta));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

Family qic_family() {
  return {.name = "qic",
          .title = "all numbers are a + bJ, and J² is learnt; also plain complex numbers, phase gates, quaternions",
          .configuration = [] { return std::make_unique<QicConfig>(); },
          .make_float = make_qic<float>,
          .make_double = make_qic<double>,
          .presets = {{"qic-paper", "classify", qic_paper(), true}},
          .ablation = qic_ablation(),
          .checks = qic_checks(),
          .diagnostics = {.values = {"theta"}, .heading = "the angles θ (κ)", .table = angle_table},
          .report = {.panel = "angles", .phases = "Phases of (a, b) in the plane, of the numbers a + bJ."}};
}

}  // namespace argand
