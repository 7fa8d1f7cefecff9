#include "autograd/ops/attention/attention.h"

#include <cmath>

#include "autograd/op_check.h"
#include "autograd/ops/attention/attention_tangent.h"
#include "autograd/ops/attention/attention_tiles.h"
#include "autograd/tape.h"

namespace argand {

static const Op attention_op(
    {.name = "attention",
     .kind = Kind::Real,
     .equation = "O = P V, P = softmax(S) over the visible keys, S = scale · Q Kᵀ, head by head; with dropout O = P̃ V, P̃ = M̃ ∘ P, "
                 "M̃ = M/(1-p)",
     .dz = "∂P_mn/∂S_mk = P_mn (δ_nk - P_mk)",
     .dzbar = "no complex input; complex heads enter as pairs of reals, with Re⟨q, k⟩ as their score",
     .vjp = "dV = P̃ᵀ dO;  dP = M̃ ∘ (dO Vᵀ);  dS = P ∘ (dP - r), r_m = Σ_d dO_md O_md;  dQ = scale dS K;  dK = scale dSᵀ Q",
     .jvp = "Ȯ = (M̃ ∘ Ṗ) V + P̃ V̇,  Ṗ = P ∘ (Ṡ - Σ_n P_mn Ṡ_mn),  Ṡ = scale (Q̇ Kᵀ + Q K̇ᵀ)",
     .derivation =
         "O = P̃ V with P̃ = M̃ ∘ P gives dV and dP. The softmax's Jacobian gives dS_mn = P_mn (dP_mn - Σ_k P_mk dP_mk), and the "
         "inner sum is Σ_k P̃_mk Σ_d dO_md V_kd = Σ_d dO_md O_md, which needs no row of P. S is bilinear in Q and K. P itself is "
         "recomputed as exp(S - max)/Σ from each row's maximum and sum, which are all that the forward pass saves. Tangent: the "
         "product rule twice and the softmax's symmetric Jacobian, applied to all scores at once.",
     .singular = "a query without visible keys has O = 0 and gradient 0",
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
      const auto grown = [with](OpCheck& at, std::int64_t Tq, std::int64_t Tk, std::int64_t D, bool is_causal) {
        AttentionOptions o;
        o.n_heads = 2, o.scale = 0.8 / std::sqrt(static_cast<double>(D)), o.causal = is_causal;
        at.function("", with(o), at.real({1, Tq, 2 * D}), at.real({1, Tk, 2 * D}), at.real({1, Tk, 2 * D}));
      };
      check.sizes("keys", [grown](OpCheck& at, std::int64_t n) { grown(at, 2, n, 2, false); });
      check.sizes("queries", [grown](OpCheck& at, std::int64_t n) { grown(at, n, 3, 2, false); });
      check.sizes(
          "causal", [grown](OpCheck& at, std::int64_t n) { grown(at, n, n, 2, true); }, 67);
      check.sizes("width", [grown](OpCheck& at, std::int64_t n) { grown(at, 2, 3, n, false); });
      AttentionOptions blind;
      blind.visible_keys = std::make_shared<std::vector<std::uint8_t>>(3, std::uint8_t{0});
      const auto f = with(blind);
      check.singular(
          "no visible key", [f](auto q) { return f(q, q, q); }, check.real({1, 3, 2}), Tensor<double>::zeros({1, 3, 2}));
      check.finite("huge scores", with(causal), check.real({1, 3, 2}, -1e15, 1e15), check.real({1, 3, 2}, -1e15, 1e15),
                   check.real({1, 3, 2}));
    });

template <RealScalar R>
Var<R> attention(const Var<R>& q, const Var<R>& k, const Var<R>& v, const AttentionOptions& options) {
  const AttentionTiles<R> tiles("attention", q.shape(), k.shape(), v.shape(), options);
  const auto output = tiles.forward(q.value(), k.value(), v.value());
  return record(
      attention_op, output.o,
      [tiles, output, qv = q.value(), kv = k.value(), vv = v.value(), dq = accumulator(q), dk = accumulator(k),
       dv = accumulator(v)](const Tensor<R>& d_o) {
        auto gradients = tiles.backward(qv, kv, vv, output, d_o);
        dq.add(std::move(gradients.dq));
        dk.add(std::move(gradients.dk));
        dv.add(std::move(gradients.dv));
      },
      [&](const auto&) { return attention_tangent(q, k, v, options); }, q, k, v);
}

#define ARGAND_ATTENTION(R) template Var<R> attention(const Var<R>&, const Var<R>&, const Var<R>&, const AttentionOptions&);
ARGAND_FOR_REAL(ARGAND_ATTENTION)

}  // namespace argand
