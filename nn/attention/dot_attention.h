#pragma once
/// Scaled dot-product attention with optional rotary positions (RoPE), QK-norm, and projections that are complex-linear or of half
/// the width.

#include "nn/attention/projection.h"
#include "nn/attention/self_attention.h"

namespace argand {

/// The form of a projection q, k, v or o: dense; complex-linear on interleaved pairs; or dense with an inner width of half d_model,
/// the output of q, k, v and the input of o (set for q and k together).
enum class ProjectionKind { Dense, Complex, Half };

struct DotAttentionOptions {
  std::int64_t d_model = 0, n_heads = 1;
  bool bias = true;  ///< in the dense projections
  bool qk_norm = false;
  std::optional<double> rope_base{};                              ///< base of the rotary frequencies; empty: no rotary positions
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
  /// QK-norm of queries or keys [B, T, H d_k]; returns x itself when there is none.
  Var<R> normalise(const Var<R>& x, const std::optional<RmsNorm<R>>& norm) const;

  std::int64_t n_heads_;
  Projection<R> q_, k_, v_, o_;
  std::optional<RmsNorm<R>> q_norm_, k_norm_;
  Tensor<R> frequencies_;  ///< of RoPE, [d_k/2]; empty without it
};

}  // namespace argand
