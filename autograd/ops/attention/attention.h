#pragma once
/// Fused scaled-dot-product attention: softmax(scale · Q Kᵀ + mask) V, tile by tile. The forward pass never holds more than a tile
/// of the T × T scores; the backward pass recomputes the tiles from the stored row sums (Dao et al., FlashAttention, 2022).

#include <memory>
#include <vector>

#include "autograd/var.h"
#include "core/random.h"

namespace argand {

struct AttentionOptions {
  std::int64_t n_heads = 1;
  double scale = 1;     ///< usually 1/sqrt(d_k)
  bool causal = false;  ///< query i sees the keys up to i + (Tk - Tq): with a cache, queries are the last Tq of Tk positions
  /// [B · Tk], 0 where a key is padding; null if no key is. The output of a query without visible keys is 0.
  std::shared_ptr<const std::vector<std::uint8_t>> visible_keys{};
  double dropout = 0;  ///< probability of dropping an attention weight
  Random random{0};    ///< the dropout mask is a pure function of `random` and (b, h, query, key)
};

/// q [B, Tq, H·d_k], k [B, Tk, H·d_k], v [B, Tk, H·d_v] -> [B, Tq, H·d_v]; heads split the last axis in order.
/// All are real; complex queries are passed via view_as_real (their score is Re⟨q, k⟩), and so are complex values.
/// Throws `attention: ...` for mismatched shapes or invalid options.
template <RealScalar R>
Var<R> attention(const Var<R>& q, const Var<R>& k, const Var<R>& v, const AttentionOptions& options);

}  // namespace argand
