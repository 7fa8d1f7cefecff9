#pragma once
/// Norm and activation of QIC models, both based on magnitudes.

#include "autograd/ops/rows/magnitude.h"
#include "nn/families/qic/config.h"
#include "nn/layers.h"

namespace argand {

/// LayerNorm or RMSNorm over the numbers along the last axis, gain 1 (autograd/ops/rows/magnitude_norm.h).
template <RealScalar R>
class MagnitudeNorm final : public Module<R> {
 public:
  /// `width` counts numbers.
  MagnitudeNorm(Init& init, MagnitudeNormKind kind, std::int64_t width);
  Var<R> operator()(const Var<R>& x, const Measure<R>& measure) const;
  ARGAND_FIELDS(R, weight_)

 private:
  bool centred_;
  Var<R> weight_;
};

/// GELU, modReLU (with a bias per number, initially 0) or ReLU, which is the identity on magnitudes
/// (autograd/ops/rows/magnitude_activation.h).
template <RealScalar R>
class MagnitudeActivation final : public Module<R> {
 public:
  /// `width` counts numbers.
  MagnitudeActivation(Init& init, MagnitudeActivationKind kind, std::int64_t width);
  Var<R> operator()(const Var<R>& x, const Measure<R>& measure) const;
  ARGAND_FIELDS(R, bias_)

 private:
  MagnitudeActivationKind kind_;
  std::optional<Var<R>> bias_;
};

}  // namespace argand
