#pragma once
/// Scaled dot-product attention, with rotary positions (RoPE), QK-norm and CRoPE's complex-linear projections where the
/// configuration asks for them.

#include "nn/attention/projection.h"
#include "nn/attention/self_attention.h"

namespace argand {

/// Score_mn = ⟨rope(q_m), rope(k_n)⟩ / sqrt(d_k). Parameters q, k, v, o and, with qk_norm, q_norm, k_norm (one gain [d_k] for all
/// heads).
///
/// `mode` (CRoPE): qk, qkv, all make q/k, q/k/v, q/k/v/o complex-linear on interleaved pairs, which saves 25, 37.5, 50 % of the
/// parameters; half_qk and half_all are dense baselines of the same counts, with q/k (or q/k/v) of half the width.
template <RealScalar R>
class DotAttention final : public SelfAttention<R> {
 public:
  DotAttention(Init& init, const ModelConfig& config);
  Var<R> operator()(const Var<R>& x, const AttentionPass<R>& pass) const override;
  void visit(const Visit<R>& f) const override;

 private:
  /// QK-norm of queries or keys [B, T, H d_k]; themselves without.
  Var<R> normalise(const Var<R>& x, const std::optional<RmsNorm<R>>& norm) const;

  std::int64_t n_heads_;
  Projection<R> q_, k_, v_, o_;
  std::optional<RmsNorm<R>> q_norm_, k_norm_;
  Tensor<R> frequencies_;  ///< of RoPE, [d_k/2]; empty without
};

}  // namespace argand
