/// QIC: a transformer over numbers a + bJ with a learned algebra, and the other models in its paper's table.

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

// The author's recipe. With 4 000 articles in batches of 32, a warm-up of 8 % of all steps is 50 steps.
KeyTexts qic_paper() {
  return {{"n_layers", "2"},         {"d_model", "128"},     {"n_heads", "4"},      {"d_ff", "128"},
          {"dropout", "0.1"},        {"max_seq_len", "256"}, {"words", "5000"},     {"train_articles", "4000"},
          {"test_articles", "1000"}, {"batch", "32"},        {"epochs", "5"},       {"lr", "2e-3"},
          {"final_lr", "0.1"},       {"warmup", "8%"},       {"clip", "1"},         {"beta1", "0.9"},
          {"beta2", "0.98"},         {"eps", "1e-9"},        {"weight_decay", "0"}, {"eval_every", "-1"},
          {"checkpoint_every", "-1"}};
}

// The paper's model starts at π/4, where the gradient of θ vanishes; argand's default is π/6.
Variants qic_variants() {
  const std::string pi_4 = "0.78539816339744831";
  std::vector<Variant> rows = {
      {"learned", "QIC, θ per head, block and model, from π/6", {}},
      {"learned-from-pi4", "the same from π/4, the author's start", {{"theta_init", pi_4}}},
      {"global", "one θ per attention", {{"theta", "global"}}},
      {"fixed-0", "θ = 0: complex numbers", {{"theta", "fixed"}, {"theta_init", "0"}}},
      {"fixed-pi4", "θ = π/4: dual numbers", {{"theta", "fixed"}, {"theta_init", pi_4}}},
      {"algebraic", "magnitudes by the algebra's own norm", {{"magnitude", "algebraic"}}},
      {"complex", "complex numbers with fixed i", {{"algebra", "complex"}}},
      {"phase-gates", "the same with learnable phase gates", {{"algebra", "phase_gates"}}},
      {"quaternion", "quaternions", {{"algebra", "quaternion"}}},
      {"real", "real numbers, as many parameters", {{"algebra", "real"}}},
      {"standard", "standard transformer of the paper", {{"algebra", "standard"}, {"n_layers", "4"}, {"d_ff", "512"}}}};
  const auto sensitivity = [&](const std::string& name, const std::string& what, KeyTexts settings) {
    rows.push_back({name, what, std::move(settings), true});
  };
  sensitivity("learned-from-0", "from θ = 0", {{"theta_init", "0"}});
  sensitivity("learned-from-pi3", "from θ = π/3", {{"theta_init", "1.0471975511965976"}});
  sensitivity("learned-from-random", "from angles drawn between 0 and π/2", {{"theta_init", pi_4}, {"theta_spread", pi_4}});
  for (const char* rate : {"1e-4", "5e-4", "1e-3", "5e-3"})
    sensitivity(fmt::format("lr-{}", rate), fmt::format("learning rate {}", rate), {{"lr", rate}});
  for (const char* batch : {"16", "64", "128"})
    sensitivity(fmt::format("batch-{}", batch), fmt::format("batches of {} articles", batch), {{"batch", batch}});
  return {.task = "classify", .preset = "qic-paper", .rows = std::move(rows)};
}

/// One line per parameter called theta, with its angles in radians and their κ: -1 where J is i, 0 for dual numbers.
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
          .variants = qic_variants(),
          .checks = qic_checks(),
          .invariances = qic_invariances,
          .diagnostics = {.values = {"theta"}, .heading = "the angles θ (κ)", .table = angle_table},
          .report = {.panel = "angles", .phases = "Phases of the points (a, b) in the plane, for the numbers a + bJ."}};
}

}  // namespace argand
