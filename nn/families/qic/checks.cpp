#include "nn/families/qic/checks.h"

#include <numbers>

#include "nn/families/qic/qic_block.h"
#include "nn/layer_check.h"

namespace argand {
namespace {

/// A layer of QIC numbers or quaternions, as a function of its input, θ (used exactly as given) and its parameters.
template <class L, class Call>
LayerLoss measured(std::shared_ptr<L> layer, const Shape& shape, std::vector<double> angles, const Call& call) {
  const Var<double> x = layer_input<double>(shape);
  const Var<double> theta = variable(Tensor<double>(Shape{static_cast<std::int64_t>(angles.size())}, angles));
  return {[layer, x, theta, call] { return weighed<double>(call(*layer, x, theta)); },
          with_parameters_of(*layer, {{"input", x}, {"theta", theta}}), 2};
}

ModelConfig config_with(Algebra algebra, AngleOwner owner) {
  ModelConfig config = layer_check_config("qic");
  config.own<QicConfig>().algebra = algebra;
  config.own<QicConfig>().theta = owner;
  return config;
}

void add_attention(std::vector<LayerCheck>& layers, const std::string& name, const ModelConfig& config, double angle, bool causal) {
  layers.push_back({"QicAttention, " + name + (causal ? ", causal" : ""), [=](Init& init) {
                      return measured(std::make_shared<QicAttention<double>>(init, config), {2, 3, 8}, {angle},
                                      [causal](const auto& layer, const Var<double>& x, const Var<double>& theta) {
                                        ForwardPass pass(ForwardContext{}, 0);
                                        return layer(x, theta, {.forward = pass, .causal = causal});
                                      });
                    }});
}

std::vector<LayerCheck> qic_layers() {
  constexpr double pi = std::numbers::pi;
  constexpr Algebra plain[] = {Algebra::Complex, Algebra::PhaseGates, Algebra::Quaternion};
  const std::vector<std::pair<std::string, double>> angles{{"theta 0", 0}, {"theta pi/4", pi / 4}, {"theta pi/2", pi / 2}};
  const auto linear = [](const auto& layer, const Var<double>& x, const Var<double>& theta) { return layer(x, theta); };
  const auto add_linear = [&](std::vector<LayerCheck>& all, const std::string& label, const std::vector<double>& values) {
    all.push_back({"QicLinear, " + label, [=](Init& init) {
                     return measured(std::shared_ptr(make_number_linear<double>(init, Algebra::Qic, 3, 4)), {2, 6}, values, linear);
                   }});
  };
  std::vector<LayerCheck> all;
  for (const auto& [label, angle] : angles) add_linear(all, label, {angle});
  add_linear(all, "one angle per head", {0.3, -0.8});
  for (const Algebra algebra : plain)
    all.push_back({"NumberLinear, " + word_of(algebra), [=](Init& init) {
                     return measured(std::shared_ptr(make_number_linear<double>(init, algebra, 2, 3)), {2, 2 * parts_of(algebra)},
                                     {0}, linear);
                   }});
  for (const Magnitude magnitude : every<Magnitude>())
    for (const auto& [label, angle] : angles) {
      const std::string name = word_of(magnitude) + ", " + label;
      const auto measure = [magnitude](const auto& layer, const Var<double>& x, const Var<double>& theta) {
        return layer(x, Measure<double>{2, magnitude, theta});
      };
      for (const auto kind : every<MagnitudeNormKind>())
        all.push_back({fmt::format("MagnitudeNorm, {}, {}", word_of(kind), name), [=, angle = angle](Init& init) {
                         return measured(std::make_shared<MagnitudeNorm<double>>(init, kind, 4), {2, 8}, {angle}, measure);
                       }});
      for (const auto kind : every<MagnitudeActivationKind>())
        all.push_back({fmt::format("MagnitudeActivation, {}, {}", word_of(kind), name), [=, angle = angle](Init& init) {
                         return measured(std::make_shared<MagnitudeActivation<double>>(init, kind, 4), {2, 8}, {angle}, measure);
                       }});
    }
  for (const auto& [label, angle] : angles)
    all.push_back({"QicFeedForward, " + label, [angle = angle](Init& init) {
                     return measured(std::make_shared<QicFeedForward<double>>(init, layer_check_config("qic")), {2, 8}, {angle},
                                     [](const auto& layer, const Var<double>& x, const Var<double>& theta) {
                                       return layer(x, Measure<double>{.theta = theta});
                                     });
                   }});
  for (const bool causal : {false, true}) {
    for (const AngleOwner owner : every<AngleOwner>())
      add_attention(all, word_of(owner), config_with(Algebra::Qic, owner), 0.4, causal);
    for (const Algebra algebra : plain) add_attention(all, word_of(algebra), config_with(algebra, AngleOwner::Learned), 0, causal);
  }
  return all;
}

/// Angles at which the algebra or the gradient of θ is special, for both tasks. (Not the algebraic magnitude at π/4, which is |a|:
/// somewhere in a model, finite differences would straddle its kink. The checks of the ops cover it.)
std::vector<JointSettings> special_angles() {
  std::vector<JointSettings> all;
  for (const char* task : {"lm", "classify"})
    for (const auto& [label, angle] :
         {std::pair{"0", "0"}, std::pair{"pi/4", "0.78539816339744831"}, std::pair{"pi/2", "1.5707963267948966"}})
      for (const char* magnitude : {"euclidean", "author"})
        all.push_back({fmt::format("{} theta_init={}", magnitude, label), task, {{"theta_init", angle}, {"magnitude", magnitude}}});
  return all;
}

/// Shrinks the queries, because magnitudes of products grow large and a softmax that is saturated on one key has no gradient. Sets
/// every theta to theta_init if that is not the default.
void prepare(const ParameterList<double>& parameters, const ModelConfig& config) {
  const double theta = config.own<QicConfig>().theta_init;
  for (const Parameter<double>& p : parameters)
    std::visit(
        [&]<class T>(Var<T> v) {
          if (p.name.find(".attn.q.") != std::string::npos)
            for (T& x : v.value()) x *= 0.2;
          if constexpr (RealScalar<T>)
            if (p.name.ends_with("theta") && theta != QicConfig().theta_init) v.value().fill(theta);
        },
        p.var);
}

}  // namespace

GradientChecks qic_checks() {
  // d_model 16 gives four quaternions per head: with fewer, their magnitudes may differ too little for a norm that divides by their
  // spread.
  return {.sizes = {{"d_model", "16"}}, .joint = special_angles(), .prepare = prepare, .layers = qic_layers};
}

}  // namespace argand
