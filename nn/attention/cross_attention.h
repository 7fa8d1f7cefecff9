#pragma once
/// Cross-attention: one sequence attends to another.

#include <optional>

#include "nn/attention/self_attention.h"

namespace argand {

/// RoPE positions of a sequence: first, first + 1, ..., starting again at `first` after every `period` tokens.
struct Places {
  std::int64_t first = 0;
  std::int64_t period = 0;  ///< must divide the sequence length; 0: no restart
};

/// q = W_q x, k = W_k y, v = W_v y; with a rope_base, q and k are rotated by position; out = W_o softmax(qkᵀ/sqrt(d_k)) v. There is
/// no causal mask: every query sees all of y; with y = x this is encoder self-attention. Parameters q, k, v, o; all but k have
/// biases: a bias in k would shift all scores of a query equally, which softmax ignores.
template <RealScalar R>
class CrossAttention final : public Module<R> {
 public:
  CrossAttention(Init& init, std::int64_t d_model, std::int64_t n_heads, std::optional<double> rope_base = {});

  /// x [N, t, d_model], y [N, K, d_model] -> [N, t, d_model].
  Var<R> operator()(const Var<R>& x, const Var<R>& y, ForwardPass& pass, const Places& of_x = {}, const Places& of_y = {}) const;
  /// The attention of each query to each of `parts` equal parts of y, averaged over heads: [N, t, parts]. Not recorded on the tape.
  Tensor<R> shares(const Var<R>& x, const Var<R>& y, std::int64_t parts, const Places& of_x = {}, const Places& of_y = {}) const;
  ARGAND_FIELDS(R, q_, k_, v_, o_)

 private:
  /// Splits x [N, n, d_model] into heads and applies RoPE.
  Var<R> placed(const Var<R>& x, const Places& places) const;
  double scale() const;

  std::int64_t n_heads_, width_;
  Linear<R> q_, k_, v_, o_;
  Tensor<R> frequencies_;  ///< RoPE frequencies [d_k/2]; empty without RoPE
};

}  // namespace argand
