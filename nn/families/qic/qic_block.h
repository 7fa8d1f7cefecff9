#pragma once
/// A block of a QIC model, and its dropout.

#include "nn/families/qic/magnitude_layers.h"
#include "nn/families/qic/qic_attention.h"

namespace argand {

/// Dropout at the pass's next site: two-component numbers are dropped as a whole, the components of quaternions independently.
template <RealScalar R>
Var<R> drop_numbers(const Var<R>& x, int parts, ForwardPass& pass);

/// down(activation(up x)), in the algebra of the block's θ; d_model -> d_ff -> d_model real components.
template <RealScalar R>
class QicFeedForward final : public Module<R> {
 public:
  QicFeedForward(Init& init, const ModelConfig& config);
  Var<R> operator()(const Var<R>& x, const Measure<R>& measure) const;
  ARGAND_FIELDS(R, up_, act_, down_)

 private:
  /// States consist of n numbers; n_ff is the inner width.
  QicFeedForward(Init& init, const QicConfig& own, std::int64_t n, std::int64_t n_ff);
  std::unique_ptr<NumberLinear<R>> up_;
  MagnitudeActivation<R> act_;
  std::unique_ptr<NumberLinear<R>> down_;
};

/// x += Attn(Norm1(x)); x += FFN(Norm2(x)). Everything except the heads uses the algebra of the block's θ.
template <RealScalar R>
class QicBlock final : public Module<R> {
 public:
  QicBlock(Init& init, const ModelConfig& config);
  /// x [B, T, d_model] -> [B, T, d_model].
  Var<R> operator()(const Var<R>& x, const AttentionPass<R>& pass) const;
  void visit(const Visit<R>& f) const override;

 private:
  QicConfig own_;
  Var<R> theta_;
  MagnitudeNorm<R> norm1_;
  QicAttention<R> attn_;
  MagnitudeNorm<R> norm2_;
  QicFeedForward<R> ffn_;
};

}  // namespace argand
