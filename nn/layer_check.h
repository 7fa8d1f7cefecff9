#pragma once
/// Layers for `argand gradcheck`, each wrapped in a loss that depends on its input and parameters. Families use these to specify
/// which of their layers are checked, and how.

#include "autograd/ops/products/projection.h"
#include "nn/attention/self_attention.h"

namespace argand {

/// A loss that keeps its layer alive.
struct LayerLoss {
  std::function<Var<double>()> loss;
  ParameterList<double> parameters;
  std::ptrdiff_t chosen = 1;  ///< the first `chosen` parameters keep the given values; the others are randomised
};

struct LayerCheck {
  std::string name;                           ///< "QicLinear, theta 0"
  std::function<LayerLoss(Init& init)> make;  ///< called when the check runs
};

/// A small configuration for an attention layer: states of 8 components in 2 heads.
inline ModelConfig layer_check_config(const std::string& family) {
  ModelConfig config = ModelConfig::defaults(family);
  config.vocab_size = 6;
  config.max_seq_len = 4;
  config.d_model = 8;
  config.n_heads = 2;
  return config;
}

/// The layer's input: random values in [-1, 1].
template <Scalar T>
Var<T> layer_input(const Shape& shape) {
  return variable(rand<T>(shape, Random(0x1A7E, 2), RealOf<T>(-1), RealOf<T>(1)));
}

/// L = Re Σ conj(W) y with random weights W.
template <Scalar T>
Var<double> weighed(const Var<T>& y) {
  return projection(y, rand<T>(y.shape(), Random(0x1A7E, 1), RealOf<T>(-1), RealOf<T>(1)));
}

/// `first`, followed by the parameters of the layer.
inline ParameterList<double> with_parameters_of(const Module<double>& layer, ParameterList<double> first) {
  for (const Parameter<double>& p : parameters_of<double>(layer)) first.push_back(p);
  return first;
}

/// The loss for layer(x), as a function of x and the layer's parameters.
template <Scalar T, class L>
LayerLoss applied(std::shared_ptr<L> layer, const Shape& shape) {
  const Var<T> x = layer_input<T>(shape);
  return {[layer, x] { return weighed((*layer)(x)); }, with_parameters_of(*layer, {{"input", x}})};
}

/// An attention layer on two texts of three tokens. With and without a causal mask, it is a different function of the same
/// parameters.
template <Scalar T, class Attention>
LayerLoss attended(std::shared_ptr<Attention> layer, bool causal, std::int64_t width = 8) {
  const Var<T> x = layer_input<T>({2, 3, width});
  return {[layer, x, causal] {
            ForwardPass pass(ForwardContext{}, 0);
            return weighed<T>((*layer)(x, {.forward = pass, .causal = causal}));
          },
          with_parameters_of(*layer, {{"input", x}})};
}

}  // namespace argand
