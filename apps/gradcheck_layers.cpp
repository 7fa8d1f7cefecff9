/// The layers that `argand gradcheck` checks, each as a function of its input and its parameters.

#include <numbers>

#include "apps/gradcheck_rows.h"
#include "autograd/ops/projection.h"
#include "nn/attention/angular_attention.h"
#include "nn/attention/dot_attention.h"
#include "nn/attention/phase_attention.h"
#include "nn/qic/qic_block.h"
#include "nn/reflection_window.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// A layer that lives as long as its loss.
struct Layer {
  std::function<Var<double>()> loss;
  ParameterList<double> parameters;
  std::ptrdiff_t chosen = 1;  ///< how many of the first parameters stay at the values chosen for them
};

template <Scalar T>
Tensor<T> weights_for(const Shape& shape) {
  return rand<T>(shape, Random(0x1A7E, 1), RealOf<T>(-1), RealOf<T>(1));
}

/// L = Re Σ conj(W) layer(x), as a function of x and the layer's parameters.
template <Scalar T, class L>
Layer applied(std::shared_ptr<L> layer, const Shape& shape) {
  const Var<T> x = variable(rand<T>(shape, Random(0x1A7E, 2), RealOf<T>(-1), RealOf<T>(1)));
  ParameterList<double> parameters{{"input", x}};
  for (const Parameter<double>& p : parameters_of<double>(*layer)) parameters.push_back(p);
  return {[layer, x] {
            const auto y = (*layer)(x);
            return projection(y, weights_for<typename std::remove_cvref_t<decltype(y)>::value_type>(y.shape()));
          },
          parameters};
}

/// An attention layer with and without a causal mask is another function of the same parameters.
template <Scalar T, class Attention>
Layer attended(std::shared_ptr<Attention> layer, bool causal, std::int64_t width = 8) {
  const Var<T> x = variable(rand<T>(Shape{2, 3, width}, Random(0x1A7E, 2), -1, 1));
  ParameterList<double> parameters{{"input", x}};
  for (const Parameter<double>& p : parameters_of<double>(*layer)) parameters.push_back(p);
  return {[layer, x, causal] {
            Pass pass(ForwardContext{}, 0);
            const Var<T> y = (*layer)(x, {.pass = pass, .causal = causal});
            return projection(y, weights_for<T>(y.shape()));
          },
          parameters};
}

/// A layer of QIC numbers or quaternions, as a function of its input, θ exactly as given, and its parameters.
template <class L, class Call>
Layer measured(std::shared_ptr<L> layer, const Shape& shape, std::vector<double> angles, const Call& call) {
  const Var<double> x = variable(rand<double>(shape, Random(0x1A7E, 2), -1, 1));
  const Var<double> theta = variable(Tensor<double>(Shape{static_cast<std::int64_t>(angles.size())}, angles));
  ParameterList<double> parameters{{"input", x}, {"theta", theta}};
  for (const Parameter<double>& p : parameters_of<double>(*layer)) parameters.push_back(p);
  return {[layer, x, theta, call] {
            const Var<double> y = call(*layer, x, theta);
            return projection(y, weights_for<double>(y.shape()));
          },
          parameters, 2};
}

/// A reflection window, as a function of states, parameters and embeddings.
template <Scalar T>
Layer reflected(Init& init) {
  const auto window = std::make_shared<ReflectionWindow<T>>(init, 4, 6, 3, 2, 0.7);
  const Var<T> z = variable(rand<T>(Shape{2, 3, 4}, Random(0x1A7E, 2), -1, 1));
  const Var<double> table = init.normal<double>(Role::Output, {6, 6}, 1), bias = init.normal<double>(Role::Bias, {6}, 1);
  ParameterList<double> parameters{{"states", z}, {"embedding", table}, {"embedding bias", bias}};
  for (const Parameter<double>& p : parameters_of<double>(*window)) parameters.push_back(p);
  const auto passages =
      std::make_shared<Ids>(Shape{5, 3}, std::vector<Ids::value_type>{1, 2, 3, 4, 5, 1, 2, 2, 4, 3, 5, 5, 0, 1, 4});
  return {[=] {
            const std::vector<RowRange> excluded{{0, 2}, {4, 4}};
            PassageMeans<double> means(*passages, table, bias);
            const Var<T> y = (*window)(z, means, {.excluded = excluded});
            return projection(y, weights_for<T>(y.shape()));
          },
          parameters};
}

ModelConfig attention_config(const std::string& family) {
  ModelConfig config = ModelConfig::defaults(family);
  config.vocab_size = 6;
  config.max_seq_len = 4;
  config.d_model = 8;
  config.n_heads = 2;
  return config;
}

class Collector {
 public:
  /// `make(init)` builds the layer; it is called when the check runs.
  template <class Make>
  void add(const std::string& name, const Make& make) {
    subjects.push_back({"layer", name, [name, make](GradcheckOptions options, bool every_element) {
                          Init init(7);
                          const Layer layer = make(init);
                          ParameterList<double> own(layer.parameters.begin() + layer.chosen, layer.parameters.end());
                          shake(own, 0x5A4E);
                          options.name = name;
                          return row_of(gradcheck_parameters(layer.loss, layer.parameters, 12, options), "input, parameters",
                                        static_cast<std::int64_t>(layer.parameters.size()), every_element);
                        }});
  }
  std::vector<GradcheckSubject> subjects;
};

void add_qic_layers(Collector& layers) {
  constexpr double pi = std::numbers::pi;
  const std::vector<std::pair<std::string, std::vector<double>>> angles{
      {"theta 0", {0}}, {"theta pi/4", {pi / 4}}, {"theta pi/2", {pi / 2}}, {"an angle a head", {0.3, -0.8}}};
  const auto linear = [](const auto& layer, const Var<double>& x, const Var<double>& theta) { return layer(x, theta); };
  for (const auto& [label, values] : angles)
    layers.add("QicLinear, " + label, [=, values = values](Init& init) {
      return measured(std::shared_ptr(make_number_linear<double>(init, "qic", 3, 4)), {2, 6}, values, linear);
    });
  for (const std::string algebra : {"complex", "phase_gates", "quaternion"})
    layers.add("NumberLinear, " + algebra, [=](Init& init) {
      return measured(std::shared_ptr(make_number_linear<double>(init, algebra, 2, 3)), {2, 2 * parts_of(algebra)}, {0}, linear);
    });
  for (const std::string magnitude : {"euclidean", "algebraic", "author"})
    for (const auto& [label, values] : angles) {
      if (values.size() > 1) continue;
      const auto measure = [magnitude](const auto& layer, const Var<double>& x, const Var<double>& theta) {
        return layer(x, Measure<double>{2, magnitude_named(magnitude), theta});
      };
      for (const std::string kind : {"qic_layernorm", "qic_rmsnorm"})
        layers.add(fmt::format("MagnitudeNorm, {}, {}, {}", kind, magnitude, label), [=, values = values](Init& init) {
          return measured(std::make_shared<MagnitudeNorm<double>>(init, kind, 4), {2, 8}, values, measure);
        });
      for (const std::string kind : {"qic_gelu", "mod_relu", "qic_relu"})
        layers.add(fmt::format("MagnitudeActivation, {}, {}, {}", kind, magnitude, label), [=, values = values](Init& init) {
          return measured(std::make_shared<MagnitudeActivation<double>>(init, kind, 4), {2, 8}, values, measure);
        });
    }
  for (const auto& [label, values] : angles) {
    if (values.size() > 1) continue;
    layers.add("QicFeedForward, " + label, [=, values = values](Init& init) {
      return measured(std::make_shared<QicFeedForward<double>>(init, attention_config("qic")), {2, 8}, values,
                      [](const auto& layer, const Var<double>& x, const Var<double>& theta) {
                        return layer(x, Measure<double>{.theta = theta});
                      });
    });
  }
  for (const bool causal : {false, true}) {
    const auto attention = [causal](const auto& layer, const Var<double>& x, const Var<double>& theta) {
      Pass pass(ForwardContext{}, 0);
      return layer(x, theta, {.pass = pass, .causal = causal});
    };
    const std::string mask = causal ? ", causal" : "";
    for (const std::string owner : {"learned", "global", "fixed"})
      layers.add("QicAttention, " + owner + mask, [=](Init& init) {
        ModelConfig config = attention_config("qic");
        config.theta = owner;
        return measured(std::make_shared<QicAttention<double>>(init, config), {2, 3, 8}, {0.4}, attention);
      });
    for (const std::string algebra : {"complex", "phase_gates", "quaternion"})
      layers.add("QicAttention, " + algebra + mask, [=](Init& init) {
        ModelConfig config = attention_config("qic");
        config.algebra = algebra;
        return measured(std::make_shared<QicAttention<double>>(init, config), {2, 3, 8}, {0}, attention);
      });
  }
}

}  // namespace

std::vector<GradcheckSubject> layer_subjects() {
  Collector layers;
  layers.add("Linear, real", [](Init& init) { return applied<double>(std::make_shared<Linear<double>>(init, 3, 4), {2, 3}); });
  layers.add("Linear, complex", [](Init& init) { return applied<C>(std::make_shared<Linear<C>>(init, 3, 4), {2, 3}); });
  layers.add("Linear, no bias", [](Init& init) { return applied<C>(std::make_shared<Linear<C>>(init, 3, 4, false), {2, 3}); });
  layers.add("LayerNorm, real", [](Init& init) { return applied<double>(std::make_shared<LayerNorm<double>>(init, 4), {2, 4}); });
  layers.add("LayerNorm, complex", [](Init& init) { return applied<C>(std::make_shared<LayerNorm<C>>(init, 4), {2, 4}); });
  layers.add("RmsNorm, real", [](Init& init) { return applied<double>(std::make_shared<RmsNorm<double>>(init, 4), {2, 4}); });
  layers.add("RmsNorm, complex", [](Init& init) { return applied<C>(std::make_shared<RmsNorm<C>>(init, 4), {2, 4}); });
  for (const std::string kind : {"gelu", "swiglu"})
    layers.add("FeedForward, " + kind, [kind](Init& init) {
      return applied<double>(std::make_shared<FeedForward<double>>(init, kind, 4, 6, true), {2, 4});
    });
  layers.add("Projection, complex", [](Init& init) {
    return applied<double>(std::make_shared<Projection<double>>(Projection<double>::complex(init, 4, 6)), {2, 4});
  });
  layers.add("Embedding, complex", [](Init& init) {
    const auto table = std::make_shared<Embedding<C>>(init, 4, 3, 0.5);
    const auto loss = [table] {
      const Var<C> y = (*table)(Ids({2, 3}, {0, 2, 1, 2, 2, 0}));
      return projection(y, weights_for<C>(y.shape()));
    };
    return Layer{loss, {{"weight", table->weight}}};
  });
  for (const bool causal : {false, true}) {
    const std::string mask = causal ? ", causal" : "";
    for (const std::string mode : {"none", "qk", "qkv", "all", "half_qk", "half_all"})
      layers.add("DotAttention, " + mode + mask, [mode, causal](Init& init) {
        ModelConfig config = attention_config("crope");
        config.mode = mode;
        return attended<double>(std::make_shared<DotAttention<double>>(init, config), causal);
      });
    for (const std::string adaptation : {"per_head", "shared", "fixed"})
      layers.add("PhaseAttention, " + adaptation + mask, [adaptation, causal](Init& init) {
        ModelConfig config = attention_config("complexformer");
        config.adaptation = adaptation;
        return attended<double>(std::make_shared<PhaseAttention<double>>(init, config), causal);
      });
    for (const std::string kind : {"angular", "mean", "dot"})
      layers.add("AngularAttention, " + kind + mask, [kind, causal](Init& init) {
        ModelConfig config = attention_config("crat");
        config.attention = kind == "dot" ? "dot" : "angular";
        if (kind == "mean") config.angular_reduce = "mean";
        return attended<C>(std::make_shared<AngularAttention<C>>(init, 4, config), causal, 4);
      });
  }
  layers.add("AngularAttention, dot, real states", [](Init& init) {
    ModelConfig config = attention_config("crat");
    config.attention = "dot";
    return attended<double>(std::make_shared<AngularAttention<double>>(init, 8, config), true);
  });
  layers.add("ReflectionWindow, complex", [](Init& init) { return reflected<C>(init); });
  layers.add("ReflectionWindow, real", [](Init& init) { return reflected<double>(init); });
  add_qic_layers(layers);
  return layers.subjects;
}

}  // namespace argand
