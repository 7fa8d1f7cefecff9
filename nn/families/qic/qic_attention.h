#pragma once
/// QIC's attention: scores by the magnitude of the product of query and key.

#include "nn/attention/self_attention.h"
#include "nn/families/qic/angles.h"

namespace argand {

/// Score_mn = |q_m · k_n| / sqrt(d_k), with d_k numbers in a head. q, k, v are computed and multiplied in the algebra of the head's
/// θ (autograd/ops/attention/magnitude_attention.h), o in the block's. Parameters q, k, v, o and theta: [H], [1] or none.
template <RealScalar R>
class QicAttention final : public Module<R> {
 public:
  QicAttention(Init& init, const ModelConfig& config);
  /// (x [B, T, d_model], the block's θ) -> [B, T, d_model].
  Var<R> operator()(const Var<R>& x, const Var<R>& block_theta, const AttentionPass<R>& pass) const;
  void visit(const Visit<R>& f) const override;

 private:
  QicConfig own_;
  std::int64_t d_model_, n_heads_;
  Var<R> theta_;
  std::unique_ptr<NumberLinear<R>> q_, k_, v_, o_;
};

}  // namespace argand
