#pragma once
/// Norm and activation of QIC models, by magnitude.

#include "autograd/ops/magnitude.h"
#include "nn/layers.h"

namespace argand {

/// `qic_layernorm` or `qic_rmsnorm` over the numbers of the last axis, gain 1 (autograd/ops/magnitude_norm.h).
template <RealScalar R>
class MagnitudeNorm final : public Module<R> {
 public:
  /// `width` counts numbers. Throws for another kind.
  MagnitudeNorm(Init& init, const std::string& kind, std::int64_t width);
  Var<R> operator()(const Var<R>& x, const Measure<R>& measure) const;
  void visit(const Visit<R>& f) const override;

 private:
  bool centred_;
  Var<R> weight_;
};

/// `qic_gelu`, `mod_relu` (with a bias, 0 at first, for each number) or `qic_relu`, which is the identity
/// (autograd/ops/magnitude_activation.h).
template <RealScalar R>
class MagnitudeActivation final : public Module<R> {
 public:
  /// `width` counts numbers. Throws for another kind.
  MagnitudeActivation(Init& init, const std::string& kind, std::int64_t width);
  Var<R> operator()(const Var<R>& x, const Measure<R>& measure) const;
  void visit(const Visit<R>& f) const override;

 private:
  std::string kind_;
  std::optional<Var<R>> bias_;
};

}  // namespace argand
