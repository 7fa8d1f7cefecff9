#include "autograd/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/op_check.h"
#include "autograd/tape.h"
#include "core/blas.h"
#include "core/kernels/vector_math.h"
#include "core/parallel.h"

namespace argand {

static const Op attention_op(
    {.name = "attention",
     .kind = Kind::Real,
     .equation = "O = P V, P = softmax(S) over the visible keys, S = scale · Q Kᵀ, head by head; with dropout P ∘ M/(1-p)",
     .dz = "∂P_mn/∂S_mk = P_mn (δ_nk - P_mk)",
     .dzbar = "real only; complex heads enter as pairs of reals, Re⟨q, k⟩",
     .vjp = "dV = P̃ᵀ dO;  dP = M̃ ∘ (dO Vᵀ);  dS = P ∘ (dP - r), r_m = Σ_d dO_md O_md;  dQ = scale dS K;  dK = scale dSᵀ Q",
     .derivation =
         "O = P̃ V with P̃ = M̃ ∘ P gives dV and dP. The softmax's Jacobian gives dS_mn = P_mn (dP_mn - Σ_k P_mk dP_mk), and the "
         "inner sum is Σ_k P̃_mk Σ_d dO_md V_kd = Σ_d dO_md O_md: it needs no row of P. S is bilinear in Q and K. P itself is "
         "computed again as exp(S - ℓ) from the row's ℓ = logsumexp(S), all that the forward pass keeps.",
     .singular = "a query that sees no key has O = 0 and gradient 0",
     .source = "Dao, Fu, Ermon, Rudra, Ré, FlashAttention (2022), appendix B.2"},
    [](OpCheck& check) {
      const auto with = [](AttentionOptions o) { return [o](auto q, auto k, auto v) { return attention(q, k, v, o); }; };
      const auto inputs = [&](std::string label, AttentionOptions o, std::int64_t Tq, std::int64_t Tk) {
        o.n_heads = 2, o.scale = 0.6;
        check.function(std::move(label), with(o), check.real({2, Tq, 6}), check.real({2, Tk, 6}), check.real({2, Tk, 4}));
      };
      AttentionOptions causal, padded, dropped;
      causal.causal = true;
      padded.visible_keys = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 1, 0, 1, 1, 1, 0, 0});
      dropped.causal = true, dropped.dropout = 0.4, dropped.random = Random(7);
      inputs("full", {}, 3, 4);
      inputs("causal", causal, 4, 4);
      inputs("causal, with a past", causal, 2, 5);
      inputs("padding", padded, 3, 4);
      inputs("dropout", dropped, 4, 4);
      AttentionOptions blind;
      blind.visible_keys = std::make_shared<std::vector<std::uint8_t>>(3, std::uint8_t{0});
      const auto f = with(blind);
      check.singular(
          "no visible key", [f](auto q) { return f(q, q, q); }, check.real({1, 3, 2}), Tensor<double>::zeros({1, 3, 2}));
      check.finite("huge scores", with(causal), check.real({1, 3, 2}, -1e15, 1e15), check.real({1, 3, 2}, -1e15, 1e15),
                   check.real({1, 3, 2}));
    });

namespace {

constexpr std::int64_t query_tile = 64, key_tile = 128;

template <RealScalar R>
struct Attention {
  AttentionOptions options;
  std::int64_t B, H, Tq, Tk, dk, dv;

  Attention(const Shape& q, const Shape& k, const Shape& v, const AttentionOptions& o) : options(o), H(o.n_heads) {
    require(q.rank() == 3 && k.rank() == 3 && v.rank() == 3 && q[0] == k[0] && q[0] == v[0] && k[1] == v[1] && q[2] == k[2],
            "attention", "needs q [B, Tq, H d_k], k [B, Tk, H d_k], v [B, Tk, H d_v], got {}, {}, {}", q, k, v);
    require(H >= 1 && q[2] % H == 0 && v[2] % H == 0, "attention", "{} heads do not divide {} and {}", H, q, v);
    require(o.dropout >= 0 && o.dropout < 1, "attention", "dropout must be in [0, 1), got {}", o.dropout);
    B = q[0], Tq = q[1], Tk = k[1], dk = q[2] / H, dv = v[2] / H;
    require(!o.causal || Tk >= Tq, "attention", "causal attention needs at least as many keys as queries, got {} and {}", Tk, Tq);
    require(!o.visible_keys || static_cast<std::int64_t>(o.visible_keys->size()) == B * Tk, "attention",
            "the key mask has {} entries for {} keys", o.visible_keys ? o.visible_keys->size() : 0, B * Tk);
  }

  /// One past the last key that any query of [from, to) sees.
  std::int64_t last_key(std::int64_t to) const { return options.causal ? std::min(Tk, to + Tk - Tq) : Tk; }

  /// scores[i][j] <- scale · <q_i, k_j>, -infinity where the query must not look.
  void score(const R* q, const R* k, std::int64_t b, std::int64_t q0, std::int64_t rows, std::int64_t k0, std::int64_t columns,
             R* scores) const {
    gemm<R>(Transpose::No, Transpose::Yes, rows, columns, dk, static_cast<R>(options.scale), q + q0 * H * dk, H * dk,
            k + k0 * H * dk, H * dk, 0, scores, key_tile);
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

  /// One head's output for all its queries, and ℓ = logsumexp of each row of scores.
  void forward(const R* q, const R* k, const R* v, std::int64_t b, std::int64_t h, R* out, R* lse) const {
    std::vector<R> scores(query_tile * key_tile), keep(options.dropout > 0 ? query_tile * key_tile : 0);
    std::vector<R> top(query_tile), sum(query_tile);
    for (std::int64_t q0 = 0; q0 < Tq; q0 += query_tile) {
      const std::int64_t rows = std::min(query_tile, Tq - q0), keys = last_key(q0 + rows);
      std::fill(top.begin(), top.end(), -std::numeric_limits<R>::infinity());
      std::fill(sum.begin(), sum.end(), R(0));
      for (std::int64_t i = 0; i < rows; ++i) std::fill_n(out + (q0 + i) * H * dv, dv, R(0));
      for (std::int64_t k0 = 0; k0 < keys; k0 += key_tile) {
        const std::int64_t columns = std::min(key_tile, keys - k0);
        score(q, k, b, q0, rows, k0, columns, scores.data());
        for (std::int64_t i = 0; i < rows; ++i) {
          R* __restrict s = scores.data() + i * key_tile;
          R high = top[static_cast<std::size_t>(i)];
          for (std::int64_t j = 0; j < columns; ++j) high = s[j] > high ? s[j] : high;
          if (high == -std::numeric_limits<R>::infinity()) {  // nothing visible so far
            std::fill_n(s, columns, R(0));
            continue;
          }
          const R shrink = std::exp(top[static_cast<std::size_t>(i)] - high);
          R total = 0;
          for (std::int64_t j = 0; j < columns; ++j) s[j] = std::exp(s[j] - high);
#pragma omp simd reduction(+ : total)
          for (std::int64_t j = 0; j < columns; ++j) total += s[j];
          sum[static_cast<std::size_t>(i)] = sum[static_cast<std::size_t>(i)] * shrink + total;
          top[static_cast<std::size_t>(i)] = high;
          if (k0 > 0)
            for (std::int64_t d = 0; d < dv; ++d) out[(q0 + i) * H * dv + d] *= shrink;
        }
        if (options.dropout > 0) {
          dropout_mask(b, h, q0, rows, k0, columns, keep.data());
          for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j)
              scores[static_cast<std::size_t>(i * key_tile + j)] *= keep[static_cast<std::size_t>(i * key_tile + j)];
        }
        gemm<R>(Transpose::No, Transpose::No, rows, dv, columns, 1, scores.data(), key_tile, v + k0 * H * dv, H * dv, 1,
                out + q0 * H * dv, H * dv);
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        const R total = sum[static_cast<std::size_t>(i)];
        lse[q0 + i] = total > 0 ? top[static_cast<std::size_t>(i)] + std::log(total) : std::numeric_limits<R>::infinity();
        const R factor = total > 0 ? 1 / total : R(0);
        for (std::int64_t d = 0; d < dv; ++d) out[(q0 + i) * H * dv + d] *= factor;
      }
    }
  }

  /// One head's dq, dk, dv (zeroed by the caller).
  void backward(const R* q, const R* k, const R* v, const R* o, const R* lse, const R* go, std::int64_t b, std::int64_t h, R* dq,
                R* dk_out, R* dv_out) const {
    std::vector<R> p(query_tile * key_tile), dp(query_tile * key_tile), keep(options.dropout > 0 ? query_tile * key_tile : 0),
        r(query_tile);
    const R scale = static_cast<R>(options.scale);
    for (std::int64_t q0 = 0; q0 < Tq; q0 += query_tile) {
      const std::int64_t rows = std::min(query_tile, Tq - q0), keys = last_key(q0 + rows);
      for (std::int64_t i = 0; i < rows; ++i) {
        R total = 0;
        for (std::int64_t d = 0; d < dv; ++d) total += go[(q0 + i) * H * dv + d] * o[(q0 + i) * H * dv + d];
        r[static_cast<std::size_t>(i)] = total;
      }
      for (std::int64_t k0 = 0; k0 < keys; k0 += key_tile) {
        const std::int64_t columns = std::min(key_tile, keys - k0);
        score(q, k, b, q0, rows, k0, columns, p.data());
        for (std::int64_t i = 0; i < rows; ++i) {
          R* __restrict s = p.data() + i * key_tile;
          const R l = lse[q0 + i];  // +infinity for a row that sees nothing: exp gives 0
          for (std::int64_t j = 0; j < columns; ++j) s[j] = std::exp(s[j] - l);
        }
        gemm<R>(Transpose::No, Transpose::Yes, rows, columns, dv, 1, go + q0 * H * dv, H * dv, v + k0 * H * dv, H * dv, 0,
                dp.data(), key_tile);
        if (options.dropout > 0) {
          dropout_mask(b, h, q0, rows, k0, columns, keep.data());
          for (std::int64_t i = 0; i < rows; ++i) {
            R* __restrict m = keep.data() + i * key_tile;
            R* __restrict s = p.data() + i * key_tile;
            R* __restrict g = dp.data() + i * key_tile;
            for (std::int64_t j = 0; j < columns; ++j) {
              g[j] = s[j] * (m[j] * g[j] - r[static_cast<std::size_t>(i)]) * scale;
              m[j] *= s[j];
            }
          }
        } else {
          for (std::int64_t i = 0; i < rows; ++i) {
            const R* __restrict s = p.data() + i * key_tile;
            R* __restrict g = dp.data() + i * key_tile;
            for (std::int64_t j = 0; j < columns; ++j) g[j] = s[j] * (g[j] - r[static_cast<std::size_t>(i)]) * scale;
          }
        }
        const R* weights = options.dropout > 0 ? keep.data() : p.data();
        gemm<R>(Transpose::Yes, Transpose::No, columns, dv, rows, 1, weights, key_tile, go + q0 * H * dv, H * dv, 1,
                dv_out + k0 * H * dv, H * dv);
        gemm<R>(Transpose::No, Transpose::No, rows, dk, columns, 1, dp.data(), key_tile, k + k0 * H * dk, H * dk, 1,
                dq + q0 * H * dk, H * dk);
        gemm<R>(Transpose::Yes, Transpose::No, columns, dk, rows, 1, dp.data(), key_tile, q + q0 * H * dk, H * dk, 1,
                dk_out + k0 * H * dk, H * dk);
      }
    }
  }
};

}  // namespace

template <RealScalar R>
Var<R> attention(const Var<R>& q, const Var<R>& k, const Var<R>& v, const AttentionOptions& options) {
  const Attention<R> a(q.shape(), k.shape(), v.shape(), options);
  Tensor<R> out(Shape{a.B, a.Tq, a.H * a.dv}), lse(Shape{a.B, a.H, a.Tq});
  // One task a head of one sequence: heads are independent, so results do not depend on the number of threads.
  parallel_for(a.B * a.H, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t b = i / a.H, h = i % a.H;
      a.forward(q.value().data() + b * a.Tq * a.H * a.dk + h * a.dk, k.value().data() + b * a.Tk * a.H * a.dk + h * a.dk,
                v.value().data() + b * a.Tk * a.H * a.dv + h * a.dv, b, h, out.data() + b * a.Tq * a.H * a.dv + h * a.dv,
                lse.data() + i * a.Tq);
    }
  });
  return record(
      attention_op, out,
      [a, out, lse, qv = q.value(), kv = k.value(), vv = v.value(), dq = sink(q), dk = sink(k), dv = sink(v)](const Tensor<R>& go) {
        Tensor<R> gq = Tensor<R>::zeros(qv.shape()), gk = Tensor<R>::zeros(kv.shape()), gv = Tensor<R>::zeros(vv.shape());
        parallel_for(a.B * a.H, 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t b = i / a.H, h = i % a.H;
            const std::int64_t at_q = b * a.Tq * a.H * a.dk + h * a.dk, at_k = b * a.Tk * a.H * a.dk + h * a.dk;
            const std::int64_t at_v = b * a.Tk * a.H * a.dv + h * a.dv, at_o = b * a.Tq * a.H * a.dv + h * a.dv;
            a.backward(qv.data() + at_q, kv.data() + at_k, vv.data() + at_v, out.data() + at_o, lse.data() + i * a.Tq,
                       go.data() + at_o, b, h, gq.data() + at_q, gk.data() + at_k, gv.data() + at_v);
          }
        });
        dq.add(gq);
        dk.add(gk);
        dv.add(gv);
      },
      q, k, v);
}

#define ARGAND_ATTENTION(R) template Var<R> attention(const Var<R>&, const Var<R>&, const Var<R>&, const AttentionOptions&);
ARGAND_FOR_REAL(ARGAND_ATTENTION)

}  // namespace argand
