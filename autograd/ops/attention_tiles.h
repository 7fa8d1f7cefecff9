#pragma once
/// The tiles of attention, without a tape: what the attention ops share. Scores exist one tile of the Tq × Tk at a time.

#include <string_view>

#include "autograd/ops/attention.h"

namespace argand {

/// softmax(scale · Q Kᵀ + mask) V and its gradients, as attention() in attention.h describes them, on tensors.
template <RealScalar R>
class AttentionTiles {
 public:
  /// Shapes as of attention(), in entries of `reals` real numbers each: 2 for complex ones seen as pairs, which enter as as_real().
  /// Throws in the name of `op` for shapes or options that do not fit.
  AttentionTiles(std::string_view op, const Shape& q, const Shape& k, const Shape& v, const AttentionOptions& options,
                 std::int64_t reals = 1);

  struct Output {
    Tensor<R> o;    ///< [B, Tq, H d_v]
    Tensor<R> lse;  ///< ℓ = logsumexp of each row of scores [B, H, Tq]: all that the backward pass needs of them
  };
  Output forward(const Tensor<R>& q, const Tensor<R>& k, const Tensor<R>& v) const;

  struct Gradients {
    Tensor<R> dq, dk, dv;
  };
  Gradients backward(const Tensor<R>& q, const Tensor<R>& k, const Tensor<R>& v, const Output& output, const Tensor<R>& d_o) const;

 private:
  std::int64_t last_key(std::int64_t to) const;
  void score(const R* q, const R* k, std::int64_t b, std::int64_t q0, std::int64_t rows, std::int64_t k0, std::int64_t columns,
             R* scores) const;
  void dropout_mask(std::int64_t b, std::int64_t h, std::int64_t q0, std::int64_t rows, std::int64_t k0, std::int64_t columns,
                    R* keep) const;
  void head_forward(const R* q, const R* k, const R* v, std::int64_t b, std::int64_t h, R* out, R* lse) const;
  void head_backward(const R* q, const R* k, const R* v, const R* o, const R* lse, const R* go, std::int64_t b, std::int64_t h,
                     R* dq, R* dk_out, R* dv_out) const;

  AttentionOptions options;
  std::int64_t B, H, Tq, Tk, dk, dv;
};

}  // namespace argand
