#pragma once
/// Cross-attention: one sequence attends to another.

#include <optional>

#include "nn/attention/self_attention.h"

namespace argand {

/// RoPE positions of a sequence: first, first + 1, ..., restarting at `first` after every `period` tokens.
struct Places {
  std::int64_t first = 0;
  std::int64_t period = 0;  ///< divides the sequence's length; 0: no restart
};

/// q = W_q x, k = W_k y, v = W_v y; with a rope_base, positions rotate q and k; out = W_o softmax(qkᵀ/sqrt(d_k)) v. There is no
/// causal mask: every query sees all of y, as in an encoder when y is x. Parameters q, k, v, o; all but k have biases: a bias of k
/// adds the same to every score of a query, and softmax ignores it.
template <RealScalar R>
class CrossAttention final : public Module<R> {
 public:
  CrossAttention(Init& init, std::int64_t d_model, std::int64_t n_heads, std::optional<double> rope_base = {});

  /// x [N, t, d_model], y [N, K, d_model] -> [N, t, d_model].
  Var<R> operator()(const Var<R>& x, const Var<R>& y, ForwardPass& pass, const Places& of_x = {}, const Places& of_y = {}) const;
  /// Each query's attention to each of `parts` equal parts of y, averaged over heads: [N, t, parts]. Records nothing.
  Tensor<R> shares(const Var<R>& x, const Var<R>& y, std::int64_t parts, const Places& of_x = {}, const Places& of_y = {}) const;
  ARGAND_FIELDS(R, q_, k_, v_, o_)

 private:
  /// Splits x [N, n, d_model] into heads and rotates them by their positions.
  Var<R> placed(const Var<R>& x, const Places& places) const;
  double scale() const;

  std::int64_t n_heads_, width_;
  Linear<R> q_, k_, v_, o_;
  Tensor<R> frequencies_;  ///< of RoPE, [d_k/2]; empty without it
};

}  // namespace argand
