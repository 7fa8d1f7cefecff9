#pragma once
/// Scaled dot-product attention, with rotary positions (RoPE), QK-norm, and projections that are complex-linear or of half the
/// width where that is asked for.

#include "nn/attention/projection.h"
#include "nn/attention/self_attention.h"

namespace argand {

/// What one of the projections q, k, v, o is made of: dense; complex-linear on interleaved pairs; or dense with half of d_model
/// inside, what q, k, v give and o takes (q and k alike).
enum class ProjectionKind { Dense, Complex, Half };

struct DotAttentionOptions {
  std::int64_t d_model = 0, n_heads = 1;
  bool bias = true;  ///< in the dense projections
  bool qk_norm = false;
  std::optional<double> rope_base{};                              ///< of the rotary positions' frequencies; none without
  ProjectionKind q = ProjectionKind::Dense, k = q, v = q, o = q;  ///< k, v, o: as q where it is not said
};

/// Score_mn = ⟨rope(q_m), rope(k_n)⟩ / sqrt(d_k). Parameters q, k, v, o and, with qk_norm, q_norm, k_norm (one gain [d_k] for all
/// heads).
template <RealScalar R>
class DotAttention final : public SelfAttention<R> {
 public:
  DotAttention(Init& init, const DotAttentionOptions& options);
  Var<R> operator()(const Var<R>& x, const AttentionPass<R>& pass) const override;
  ARGAND_FIELDS(R, q_, k_, v_, o_, q_norm_, k_norm_)

 private:
  /// QK-norm of queries or keys [B, T, H d_k]; themselves without.
  Var<R> normalise(const Var<R>& x, const std::optional<RmsNorm<R>>& norm) const;

  std::int64_t n_heads_;
  Projection<R> q_, k_, v_, o_;
  std::optional<RmsNorm<R>> q_norm_, k_norm_;
  Tensor<R> frequencies_;  ///< of RoPE, [d_k/2]; empty without
};

}  // namespace argand
