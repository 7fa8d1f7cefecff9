#pragma once
/// The loops of fused attention, tile by tile, for any score function of query and key (Dao et al., FlashAttention, 2022).
/// Each kind of attention supplies a `Scores`, made for one head of one sequence:
///
///     void tile(q0, rows, k0, columns, R* s)       s[i][j] <- scale · raw score of query q0 + i and key k0 + j
///     void gradient(q0, rows, k0, columns, R* g)   propagates dL/d raw score, g[i][j], of the tile that tile() computed
///                                                  last, to the gradients of queries and keys
///
/// with rows of `key_tile` elements. The loops handle masks, softmax, dropout and values.
///
/// A weight of 0 hides a finite value, but 0 · NaN is NaN. So that a NaN in a hidden key reaches no query, hidden keys and values
/// are replaced by 0 (`visible`), and a tile of a causal mask with results that are not all finite is recomputed query by query,
/// each with only the keys it may attend to.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "autograd/ops/attention/attention.h"
#include "core/gemm.h"
#include "core/kernels/vector_math.h"
#include "core/memory.h"
#include "core/parallel.h"

namespace argand {

template <RealScalar R>
struct AttentionLoops {
  static constexpr std::int64_t query_tile = 64, key_tile = 128;
  AttentionOptions options;
  std::int64_t B, H, Tq, Tk, dk, dv;

  /// Shapes as in attention(), in entries of `reals` real numbers each. Throws `op: ...` for mismatched shapes or invalid options.
  AttentionLoops(std::string_view op, const Shape& q, const Shape& k, const Shape& v, const AttentionOptions& o,
                 std::int64_t reals = 1)
      : options(o), H(o.n_heads) {
    require(q.rank() == 3 && k.rank() == 3 && v.rank() == 3 && q[0] == k[0] && q[0] == v[0] && k[1] == v[1] && q[2] == k[2], op,
            "expects q [B, Tq, H d_k], k [B, Tk, H d_k], v [B, Tk, H d_v], got {}, {}, {}", q, k, v);
    require(H >= 1 && q[2] % H == 0 && v[2] % H == 0, op, "{} heads do not evenly divide the last axes of {} and {}", H, q, v);
    require(o.dropout >= 0 && o.dropout < 1, op, "dropout must be in [0, 1), got {}", o.dropout);
    B = q[0], Tq = q[1], Tk = k[1], dk = reals * q[2] / H, dv = reals * v[2] / H;
    require(!o.causal || Tk >= Tq, op, "causal attention needs at least as many keys as queries, got {} and {}", Tk, Tq);
    require(!o.visible_keys || static_cast<std::int64_t>(o.visible_keys->size()) == B * Tk, op,
            "the key mask has {} entries for {} keys", o.visible_keys ? o.visible_keys->size() : 0, B * Tk);
  }

  /// Calls f(b, h) for every head of every sequence, in parallel. Heads are independent, so results do not depend on the thread
  /// count.
  template <class F>
  void for_each_head(const F& f) const {
    parallel_for(B * H, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) f(i / H, i % H);
    });
  }
  /// The offset of a head's first element in q (and dq), k, v, the output and the row sums.
  std::int64_t at_q(std::int64_t b, std::int64_t h) const { return (b * Tq * H + h) * dk; }
  std::int64_t at_k(std::int64_t b, std::int64_t h) const { return (b * Tk * H + h) * dk; }
  std::int64_t at_v(std::int64_t b, std::int64_t h) const { return (b * Tk * H + h) * dv; }
  std::int64_t at_out(std::int64_t b, std::int64_t h) const { return (b * Tq * H + h) * dv; }
  std::int64_t at_row(std::int64_t b, std::int64_t h) const { return (b * H + h) * Tq * 2; }

  /// One past the last key that any query before `to` may attend to.
  std::int64_t last_key(std::int64_t to) const { return options.causal ? std::min(Tk, to + Tk - Tq) : Tk; }

  /// scores[i][j] <- -infinity where the mask hides key j from query i.
  void mask_scores(std::int64_t b, std::int64_t q0, std::int64_t rows, std::int64_t k0, std::int64_t columns, R* scores) const {
    constexpr R hidden = -std::numeric_limits<R>::infinity();
    if (options.causal)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = std::max<std::int64_t>(0, q0 + i + Tk - Tq + 1 - k0); j < columns; ++j)
          scores[i * key_tile + j] = hidden;
    if (options.visible_keys)
      for (std::int64_t j = 0; j < columns; ++j)
        if ((*options.visible_keys)[static_cast<std::size_t>(b * Tk + k0 + j)] == 0)
          for (std::int64_t i = 0; i < rows; ++i) scores[i * key_tile + j] = hidden;
  }

  /// Sets one head's gradients to 0; called just before they are added to, so that they are in the cache by then.
  void zero_head(std::int64_t b, std::int64_t h, Tensor<R>& by_q, Tensor<R>& by_k, Tensor<R>& by_v) const {
    const auto zero = [this](R* head, std::int64_t positions, std::int64_t width) {
      for (std::int64_t i = 0; i < positions; ++i) std::fill_n(head + i * H * width, width, R(0));
    };
    zero(by_q.data() + at_q(b, h), Tq, dk);
    zero(by_k.data() + at_k(b, h), Tk, dk);
    zero(by_v.data() + at_v(b, h), Tk, dv);
  }

  /// k or v [B, Tk, ...] without hidden rows: x itself, or, where hidden rows hold NaN or infinity, a copy with 0 there.
  Tensor<R> visible(const Tensor<R>& x) const {
    const std::int64_t width = x.size() / std::max<std::int64_t>(1, B * Tk);
    for (std::int64_t row = 0; options.visible_keys && row < B * Tk; ++row)
      if ((*options.visible_keys)[static_cast<std::size_t>(row)] == 0 && !all_finite(x.data() + row * width, width)) {
        Tensor<R> y = x.clone();
        zero_hidden_rows(y);
        return y;
      }
    return x;
  }
  /// Sets the gradient of k or v to 0 in hidden rows, even if queries contain NaN.
  void zero_hidden_rows(Tensor<R>& x) const {
    const std::int64_t width = x.size() / std::max<std::int64_t>(1, B * Tk);
    for (std::int64_t row = 0; options.visible_keys && row < B * Tk; ++row)
      if ((*options.visible_keys)[static_cast<std::size_t>(row)] == 0) std::fill_n(x.data() + row * width, width, R(0));
  }
  static bool all_finite(const R* x, std::int64_t n) {
    return pack_sum<R>(0, n, [&](auto at) { return at.load(x) * Pack<R>(0); }) == 0;
  }

  /// keep[i][j] <- 1/(1-p), or 0 where dropped.
  void dropout_mask(std::int64_t b, std::int64_t h, std::int64_t q0, std::int64_t rows, std::int64_t k0, std::int64_t columns,
                    R* keep) const {
    const auto limit = static_cast<std::uint32_t>(options.dropout * 4294967296.0);
    const R scale = static_cast<R>(1 / (1 - options.dropout));
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t row = ((b * H + h) * Tq + q0 + i) * ((Tk + 3) / 4);
      for (std::int64_t j = 0; j < columns; j += 4) {  // k0 is a multiple of 4: a block of four random words never straddles tiles
        const auto words = options.random.block(static_cast<std::uint64_t>(row + (k0 + j) / 4));
        for (std::int64_t w = 0; w < 4 && j + w < columns; ++w)
          keep[i * key_tile + j + w] = words[static_cast<std::size_t>(w)] < limit ? R(0) : scale;
      }
    }
  }

  /// Storage [B, H, Tq, 2] for each row of scores: the maximum, and 1/Σ exp(score - maximum); 0 and 0 for a row without visible
  /// keys, NaN for one with a visible NaN. The backward pass needs no more. (ℓ = logsumexp would combine the two; but an ℓ of 50 is
  /// off by 2e-6 in float, and so are all weights of the row, whose gradients nearly cancel.)
  Tensor<R> make_sums() const { return Tensor<R>(Shape{B, H, Tq, 2}); }

  /// Multiplies one position of one head's output by a factor.
  void scale_row(R* out, R factor) const {
    for_packs<R>(0, dv, [&](auto at) { at.store(out, at.load(out) * factor); });
  }

  /// Calls tile(first query, count) for all of a head's queries. If it returns false, repeats each query of the tile separately.
  template <class Tile>
  void each_tile(const Tile& tile) const {
    for (std::int64_t q0 = 0; q0 < Tq; q0 += query_tile) {
      const std::int64_t rows = std::min(query_tile, Tq - q0);
      if (!tile(q0, rows) && rows > 1)
        for (std::int64_t i = 0; i < rows; ++i) tile(q0 + i, 1);
    }
  }

  /// Computes one head's output and the sums for all its queries. v, out, sums: this head's part.
  template <class Scores>
  void forward(Scores& score, const R* v, std::int64_t b, std::int64_t h, R* out, R* sums) const {
    Scratch<R> scores(query_tile * key_tile), keep(options.dropout > 0 ? query_tile * key_tile : 0);
    Scratch<R> top(query_tile), sum(query_tile);
    // Returns false if the queries must be recomputed one by one.
    const auto tile = [&](std::int64_t q0, std::int64_t rows) {
      const std::int64_t keys = last_key(q0 + rows);
      std::fill(top.begin(), top.end(), -std::numeric_limits<R>::infinity());
      std::fill(sum.begin(), sum.end(), R(0));
      for (std::int64_t i = 0; i < rows; ++i) std::fill_n(out + (q0 + i) * H * dv, dv, R(0));
      for (std::int64_t k0 = 0; k0 < keys; k0 += key_tile) {
        const std::int64_t columns = std::min(key_tile, keys - k0);
        score.tile(q0, rows, k0, columns, scores.data());
        mask_scores(b, q0, rows, k0, columns, scores.data());
        for (std::int64_t i = 0; i < rows; ++i) {
          R* __restrict s = scores.data() + i * key_tile;
          const R high = std::max(top[static_cast<std::size_t>(i)], pack_max(0, columns, s));
          const bool nothing_so_far = high == -std::numeric_limits<R>::infinity();  // no visible score so far, or only NaNs
          if (nothing_so_far && std::none_of(s, s + columns, [](R x) { return std::isnan(x); })) {
            std::fill_n(s, columns, R(0));
            continue;
          }
          const R shrink = std::exp(top[static_cast<std::size_t>(i)] - high);
          const R total = pack_sum<R>(0, columns, [&](auto at) {
            const Pack<R> e = math::exp(at.load(s) - high);
            at.store(s, e);
            return e;
          });
          sum[static_cast<std::size_t>(i)] = sum[static_cast<std::size_t>(i)] * shrink + total;
          top[static_cast<std::size_t>(i)] = high;
          if (k0 > 0) scale_row(out + (q0 + i) * H * dv, shrink);
        }
        if (options.dropout > 0) {
          dropout_mask(b, h, q0, rows, k0, columns, keep.data());
          for (std::int64_t i = 0; i < rows; ++i)
            for_packs<R>(i * key_tile, i * key_tile + columns,
                         [&](auto at) { at.store(scores.data(), at.load(scores.data()) * at.load(keep.data())); });
        }
        gemm<R>(Transpose::No, Transpose::No, rows, dv, columns, 1, scores.data(), key_tile, v + k0 * H * dv, H * dv, 1,
                out + q0 * H * dv, H * dv);
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        const R total = sum[static_cast<std::size_t>(i)];
        const R factor = total == 0 ? R(0) : 1 / total;
        sums[2 * (q0 + i)] = total == 0 ? R(0) : top[static_cast<std::size_t>(i)];
        sums[2 * (q0 + i) + 1] = factor;
        scale_row(out + (q0 + i) * H * dv, factor);
      }
      bool finite = true;
      for (std::int64_t i = 0; options.causal && i < rows; ++i) finite = finite && all_finite(out + (q0 + i) * H * dv, dv);
      return finite;
    };
    each_tile(tile);
  }

  /// Adds to one head's dv (zeroed by the caller) and passes the scores' gradients to `score`.
  template <class Scores>
  void backward(Scores& score, const R* v, const R* o, const R* sums, const R* go, std::int64_t b, std::int64_t h,
                R* dv_out) const {
    Scratch<R> p(query_tile * key_tile), dp(query_tile * key_tile), keep(options.dropout > 0 ? query_tile * key_tile : 0),
        r(query_tile);
    const R scale = static_cast<R>(options.scale);
    const auto tile = [&](std::int64_t q0, std::int64_t rows) {
      const std::int64_t keys = last_key(q0 + rows);
      for (std::int64_t i = 0; i < rows; ++i) {
        const R *g = go + (q0 + i) * H * dv, *out = o + (q0 + i) * H * dv;
        r[static_cast<std::size_t>(i)] = pack_sum<R>(0, dv, [&](auto at) { return at.load(g) * at.load(out); });
      }
      if (options.causal && rows > 1 && !all_finite(r.data(), rows)) return false;
      for (std::int64_t k0 = 0; k0 < keys; k0 += key_tile) {
        const std::int64_t columns = std::min(key_tile, keys - k0);
        score.tile(q0, rows, k0, columns, p.data());
        mask_scores(b, q0, rows, k0, columns, p.data());
        for (std::int64_t i = 0; i < rows; ++i) {
          R* __restrict s = p.data() + i * key_tile;
          const R high = sums[2 * (q0 + i)], factor = sums[2 * (q0 + i) + 1];
          for_packs<R>(0, columns, [&](auto at) { at.store(s, math::exp(at.load(s) - high) * factor); });
        }
        gemm<R>(Transpose::No, Transpose::Yes, rows, columns, dv, 1, go + q0 * H * dv, H * dv, v + k0 * H * dv, H * dv, 0,
                dp.data(), key_tile);
        if (options.dropout > 0) {
          dropout_mask(b, h, q0, rows, k0, columns, keep.data());
          for (std::int64_t i = 0; i < rows; ++i) {
            R* __restrict m = keep.data() + i * key_tile;
            R* __restrict s = p.data() + i * key_tile;
            R* __restrict g = dp.data() + i * key_tile;
            for_packs<R>(0, columns, [&](auto at) {
              const Pack<R> p_ij = at.load(s), m_ij = at.load(m);
              at.store(g, p_ij * (m_ij * at.load(g) - r[static_cast<std::size_t>(i)]) * scale);
              at.store(m, m_ij * p_ij);
            });
          }
        } else {
          for (std::int64_t i = 0; i < rows; ++i) {
            const R* __restrict s = p.data() + i * key_tile;
            R* __restrict g = dp.data() + i * key_tile;
            for_packs<R>(0, columns,
                         [&](auto at) { at.store(g, at.load(s) * (at.load(g) - r[static_cast<std::size_t>(i)]) * scale); });
          }
        }
        const R* weights = options.dropout > 0 ? keep.data() : p.data();
        gemm<R>(Transpose::Yes, Transpose::No, columns, dv, rows, 1, weights, key_tile, go + q0 * H * dv, H * dv, 1,
                dv_out + k0 * H * dv, H * dv);
        score.gradient(q0, rows, k0, columns, dp.data());
      }
      return true;
    };
    each_tile(tile);
  }
};

}  // namespace argand
