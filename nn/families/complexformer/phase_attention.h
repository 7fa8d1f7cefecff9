#pragma once
/// ComplexFormer's attention (CMHA): moduli and phases of query and key pairs, with an adapted phase difference and real values.

#include "nn/attention/self_attention.h"

namespace argand {

/// With λ = |z| and θ = arg z for the interleaved pairs of q and k,
///
///     Score_mn = Σ_j λq_mj λk_nj cos(δ_j (θq_mj - θk_nj) + b_j + (m - n) ω_j) / sqrt(d_k)          ComplexFormer, eq. (1)-(9)
///
/// cos(A_m - C_n) with A = δθq + b + mω and C = δθk + nω is the dot product of (cos A, sin A) and (cos C, sin C), so the score is
/// that of rotated queries λq e^{iA} and keys λk e^{iC}: RoPE's cost plus O(T·d) trigonometry, never O(T²·d) cosines. Parameters q,
/// k, v, o; delta, phase_bias: [H, d_k/2] (per_head), [d_k/2] (shared), none (fixed: δ = 1, b = 0; moduli: δ = 0, b = 0);
/// phase_bias alone (bias: δ = 0).
template <RealScalar R>
class PhaseAttention final : public SelfAttention<R> {
 public:
  PhaseAttention(Init& init, const ModelConfig& config);
  Var<R> operator()(const Var<R>& x, const AttentionPass<R>& pass) const override;
  ARGAND_FIELDS(R, q_, k_, v_, o_, delta_, phase_bias_)

 private:
  std::int64_t n_heads_;
  Linear<R> q_, k_, v_, o_;
  std::optional<Var<R>> delta_, phase_bias_;  ///< δ only with b
  bool moduli_ = false;                       ///< δ = 0
  Tensor<R> frequencies_;                     ///< ω, [d_k/2]
};

}  // namespace argand
