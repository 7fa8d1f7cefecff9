#pragma once
/// Observes a model's attention. Fused attention never stores its weights, but its output is linear in the values, so applying the
/// op to unit vectors returns the weights, regardless of how the scores are computed.

#include <algorithm>
#include <functional>

#include "autograd/tape.h"

namespace argand {

/// Each attention layer of a forward pass calls both functions once, in layer order. Values are float64 for any model precision.
struct AttentionWatch {
  using Phasors = Tensor<std::complex<double>>;
  /// Queries and keys as complex numbers [B, T, H, n], before they are rotated by position. Not called by layers without complex
  /// pairs, that is, for real attention without RoPE, real states or quaternions.
  std::function<void(const Phasors& q, const Phasors& k)> pairs{};
  /// Weights [B, Tq, H, Tk], after softmax.
  std::function<void(const Tensor<double>& weights)> weights{};
};

template <Scalar T>
auto in_double(const Tensor<T>& x) {
  Tensor<std::conditional_t<ComplexScalar<T>, std::complex<double>, double>> wide(x.shape());
  std::copy(x.begin(), x.end(), wide.begin());
  return wide;
}

/// The weights [B, Tq, H, Tk] of an attention over B · Tk keys in H heads. `attend` maps values [B, Tk, H·d_v], for any d_v, to the
/// output [B, Tq, H·d_v].
template <Scalar T, class Attend>
Tensor<double> attention_weights(std::int64_t B, std::int64_t Tk, std::int64_t H, const Attend& attend) {
  const NoGrad none;
  Tensor<T> units = Tensor<T>::zeros({B, Tk, H * Tk});
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t n = 0; n < Tk; ++n)
      for (std::int64_t h = 0; h < H; ++h) units(b, n, h * Tk + n) = T(1);
  const Tensor<T> output = attend(Var<T>(units)).value();
  Tensor<RealOf<T>> weights({B, output.dim(1), H, Tk});
  std::transform(output.begin(), output.end(), weights.begin(), [](T w) { return real_of(w); });
  return in_double(weights);
}

}  // namespace argand
