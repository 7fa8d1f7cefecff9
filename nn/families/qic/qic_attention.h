#pragma once
/// QIC's attention: by the magnitude of the product of query and key.

#include "nn/attention/self_attention.h"
#include "nn/families/qic/angles.h"

namespace argand {

/// Score_mn = |q_m · k_n| / sqrt(d_k), d_k numbers in a head; q, k and v are made and multiplied in the algebra of the head's own θ
/// (autograd/ops/attention/magnitude_attention.h), o in that of the block. Parameters q, k, v, o and theta [H], [1] or none.
template <RealScalar R>
class QicAttention final : public Module<R> {
 public:
  QicAttention(Init& init, const ModelConfig& config);
  /// x [B, T, d_model], θ of the block -> [B, T, d_model].
  Var<R> operator()(const Var<R>& x, const Var<R>& block_theta, const AttentionPass<R>& pass) const;
  void visit(const Visit<R>& f) const override;

 private:
  QicConfig own_;
  std::int64_t d_model_, n_heads_;
  Var<R> theta_;
  std::unique_ptr<NumberLinear<R>> q_, k_, v_, o_;
};

}  // namespace argand
