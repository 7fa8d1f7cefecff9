#pragma once
/// Attention between CRAT's states: angular, or the dot product as an ablation.

#include "nn/attention/self_attention.h"
#include "nn/families/crat/config.h"

namespace argand {

/// States of n numbers, d_h = n/H per head; parameters q, k, v (no bias) and o, of the states' type.
///   angular: Score_mn = Σ_j cos(arg q_mj - arg k_nj) / sqrt(d_h). `mean` also divides by d_h, which limits the score to
///            1/sqrt(d_h), so the softmax stays almost uniform.
///   dot:     Score_mn = Re⟨q_m, k_n⟩ / sqrt(d_h); the only choice for real states.
template <Scalar T>
class AngularAttention final : public Module<RealOf<T>> {
 public:
  using R = RealOf<T>;
  AngularAttention(Init& init, std::int64_t n, const ModelConfig& config);
  /// z [B, t, n] -> [B, t, n].
  Var<T> operator()(const Var<T>& z, const AttentionPass<R>& pass) const;
  ARGAND_FIELDS(R, q_, k_, v_, o_)

 private:
  std::int64_t n_heads_;
  bool angular_;
  double scale_;
  Linear<T> q_, k_, v_, o_;
};

}  // namespace argand
