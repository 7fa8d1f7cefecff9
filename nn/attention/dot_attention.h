#pragma once
/// Scaled dot-product attention, with rotary positions (RoPE) and QK-norm where the configuration asks for them.

#include "nn/attention/self_attention.h"

namespace argand {

/// Score_mn = ⟨rope(q_m), rope(k_n)⟩ / sqrt(d_k). Parameters q, k, v, o and, with qk_norm, q_norm, k_norm (one gain [d_k] for all
/// heads).
template <RealScalar R>
class DotAttention final : public SelfAttention<R> {
 public:
  DotAttention(Init& init, const ModelConfig& config);
  Var<R> operator()(const Var<R>& x, const AttentionPass<R>& pass) const override;
  void visit(const Visit<R>& f) const override;

 private:
  /// QK-norm and rotation of queries or keys [B, T, d_model].
  Var<R> prepare(const Var<R>& x, const std::optional<RmsNorm<R>>& norm, std::int64_t first_position) const;

  std::int64_t n_heads_;
  Linear<R> q_, k_, v_, o_;
  std::optional<RmsNorm<R>> q_norm_, k_norm_;
  Tensor<R> frequencies_;  ///< of RoPE, [d_k/2]; empty without
};

}  // namespace argand
