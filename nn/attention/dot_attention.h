#pragma once
/// Scaled dot-product attention with optional rotary positions (RoPE), QK-norm, and complex-linear or half-width projections.

#include "nn/attention/projection.h"
#include "nn/attention/self_attention.h"

namespace argand {

/// The form of a projection q, k, v or o: dense; complex-linear on interleaved pairs; or dense with half of d_model as the inner
/// width, i.e. the output width of q, k, v and the input width of o. Queries and keys must have equal widths.
enum class ProjectionKind { Dense, Complex, Half };

struct DotAttentionOptions {
  std::int64_t d_model = 0, n_heads = 1;
  bool bias = true;  ///< in the dense projections
  bool qk_norm = false;
  std::optional<double> rope_base{};                              ///< base of the rotary frequencies; empty: no RoPE
  ProjectionKind q = ProjectionKind::Dense, k = q, v = q, o = q;  ///< k, v, o default to the kind of q
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
  /// Applies QK-norm to queries or keys [B, T, H d_k]; returns x itself if there is no norm.
  Var<R> normalise(const Var<R>& x, const std::optional<RmsNorm<R>>& norm) const;

  std::int64_t n_heads_;
  Projection<R> q_, k_, v_, o_;
  std::optional<RmsNorm<R>> q_norm_, k_norm_;
  Tensor<R> frequencies_;  ///< RoPE frequencies [d_k/2]; empty without RoPE
};

}  // namespace argand
