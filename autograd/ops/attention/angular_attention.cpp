#include "autograd/ops/attention/angular_attention.h"

#include <cmath>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/attention/attention_tangent.h"
#include "autograd/ops/attention/attention_tiles.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/phase.h"
#include "core/kernels/complex_math.h"

namespace argand {

static const Op angular_attention_op(
    {.name = "angular_attention",
     .kind = Kind::General,
     .equation = "O = softmax(S) V over the visible keys, S_mn = scale · Σ_j cos(arg Q_mj - arg K_nj) = scale · "
                 "Re⟨u(Q_m), u(K_n)⟩, u(z) = z/|z| componentwise",
     .dz = "∂S_mn/∂Q_mj = -scale · sin(α - β) conj(u)/(2i|Q_mj|) with α = arg Q_mj, β = arg K_nj, u = e^{iα}",
     .dzbar = "the conjugate, as S is real: scale · sin(α - β) u/(2i|Q_mj|); O is linear in V, so ∂O/∂V̄ = 0",
     .vjp =
         "du of the phasors u = u(Q) as in attention;  t = Im(conj(u) du) = dL/d arg Q;  dQ = i t u/|Q|;  dK likewise;  dV = Pᵀ dO",
     .jvp = "Ȯ as in attention, with the phasors u and their tangents u̇ = i u Im(conj(u) Q̇)/|Q| for queries and keys",
     .derivation =
         "cos(α - β) = Re(conj(e^{iβ}) e^{iα}): the score is a dot product of unit phasors seen as pairs of reals, so attention's "
         "tiles give du = dL/d(Re u) + i dL/d(Im u). Changing the phase α moves u at the rate i u, hence dL/dα = Re(conj(iu) du) = "
         "Im(conj(u) du): for one score, -scale · sin(α - β) dS. And arg z = Im log z has the gradient 2 ∂α/∂z̄ = i z/|z|², which "
         "makes dQ = i (dL/dα) Q/|Q|² = i t u/|Q|. It is orthogonal to Q: magnitudes never enter the score. No arctangent is "
         "taken, so the branch cut of arg never appears. Forward: α̇ = Im(conj(u) Q̇)/|Q| and u̇ = i u α̇.",
     .singular = "a component that is 0 has no phase: its u and its gradient are 0 (as for a subnormal magnitude, whose reciprocal "
                 "may overflow); a query without visible keys has O = 0 and gradient 0",
     .source = "CRAT, angular attention; tiles: Dao et al., FlashAttention (2022)"},
    [](OpCheck& check) {
      using C = std::complex<double>;
      const auto with = [](AttentionOptions o) {
        o.n_heads = 2, o.scale = 0.6;
        return [o](auto q, auto k, auto v) { return angular_attention(q, k, v, o); };
      };
      AttentionOptions causal, padded, dropped;
      causal.causal = true;
      padded.visible_keys = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 1, 0, 1, 1, 1, 0, 0});
      dropped.causal = true, dropped.dropout = 0.4, dropped.random = Random(7);
      check.function("full", with({}), check.complex({2, 3, 4}), check.complex({2, 4, 4}), check.complex({2, 4, 2}));
      check.function("causal", with(causal), check.complex({2, 4, 4}), check.complex({2, 4, 4}), check.complex({2, 4, 2}));
      check.function("causal, with a past", with(causal), check.complex({1, 2, 4}), check.complex({1, 5, 4}),
                     check.complex({1, 5, 4}));
      check.function("padding", with(padded), check.complex({2, 3, 4}), check.complex({2, 4, 4}), check.complex({2, 4, 2}));
      check.function("dropout", with(dropped), check.complex({2, 4, 4}), check.complex({2, 4, 4}), check.complex({2, 4, 2}));
      check.sizes("keys", [with](OpCheck& at, std::int64_t n) {
        at.function("", with({}), at.complex({1, 2, 4}), at.complex({1, n, 4}), at.complex({1, n, 2}));
      });
      check.sizes("queries", [with](OpCheck& at, std::int64_t n) {
        at.function("", with({}), at.complex({1, n, 4}), at.complex({1, 3, 4}), at.complex({1, 3, 2}));
      });
      check.sizes(
          "causal",
          [with, causal](OpCheck& at, std::int64_t n) {
            at.function("", with(causal), at.complex({1, n, 4}), at.complex({1, n, 4}), at.complex({1, n, 2}));
          },
          67);
      check.sizes("width", [](OpCheck& at, std::int64_t n) {
        AttentionOptions o;
        o.n_heads = 2, o.scale = 0.8 / std::sqrt(static_cast<double>(n));
        const auto wide = [o](auto q, auto k, auto v) { return angular_attention(q, k, v, o); };
        at.function("", wide, at.complex({1, 2, 2 * n}), at.complex({1, 3, 2 * n}), at.complex({1, 3, 2 * n}));
      });
      // Phases of ±π and -0: points on the cut, where the score is smooth.
      const Tensor<C> cut({1, 2, 2}, {{-1.0, 0.0}, {-0.5, -0.0}, {-0.8, 1e-12}, {0.7, 0.2}});
      check.function("branch cut of arg", with({}), cut, check.complex({1, 2, 2}), check.complex({1, 2, 2}));
      check.function("branch cut of arg, keys", with({}), check.complex({1, 2, 2}), cut, check.complex({1, 2, 2}));
      const Tensor<C> keys = check.complex({1, 2, 2}), values = check.complex({1, 2, 2});
      const auto on_query = [f = with({})](auto q) {
        using T = typename decltype(q)::value_type;
        using R = RealOf<T>;
        const Var<T> other(Tensor<T>({1, 2, 2}, {T(R(0.3), R(1)), T(R(-1), R(0.4)), T(R(1), R(1)), T(R(0.2), R(-2))}));
        return f(q, other, other);
      };
      check.singular("queries of 0", on_query, Tensor<C>({1, 2, 2}, {{0.0, 0.0}, {-0.0, 0.0}, {0.0, -0.0}, {-0.0, -0.0}}),
                     Tensor<C>::zeros({1, 2, 2}));
      check.finite("zeros everywhere", with({}), Tensor<C>::zeros({1, 2, 2}), Tensor<C>::zeros({1, 2, 2}), values);
      check.finite("huge, tiny and subnormal", with(causal),
                   Tensor<C>({1, 2, 2}, {{1e30, -1e30}, {1e-40, -1e-42}, {0.0, 1e-45}, {1e-30, 1e-30}}), keys, values);
    });

namespace {

/// The phasors u of z as pairs of reals, with tangents.
template <RealScalar R>
Var<R> phasors_with_tangents(const Var<std::complex<R>>& z) {
  const Var<std::complex<R>> u = unit_phasor(z);
  // z = 0 has no phase: the imaginary part, 0, is divided by 1 instead of 0.
  const Tensor<R> instead = map([](std::complex<R> v) { return v == R(0) ? R(1) : R(0); }, z.value());
  const Var<R> turn = imag(conj(u) * tangent(z)) / (abs(z) + constant(instead));
  return view_as_real(u).with_tangent(view_as_real(std::complex<R>(0, 1) * (u * turn)));
}

}  // namespace

template <RealScalar R>
Var<std::complex<R>> angular_attention(const Var<std::complex<R>>& Q, const Var<std::complex<R>>& K, const Var<std::complex<R>>& V,
                                       const AttentionOptions& options) {
  using C = std::complex<R>;
  const AttentionTiles<R> tiles("angular_attention", Q.shape(), K.shape(), V.shape(), options, 2);
  // Recomputed in the backward pass instead of stored: another pass over Q and K costs less than storing the phasors.
  const auto phasors = [](const Tensor<C>& z) { return as_real(map_packs([](auto v) { return phasor(v); }, z)); };
  const auto seen = [tiles](const Tensor<C>& k) { return as_complex(tiles.visible(as_real(k))); };
  const auto output = tiles.forward(phasors(Q.value()), phasors(seen(K.value())), as_real(V.value()));
  return record(
      angular_attention_op, as_complex(output.o),
      [tiles, output, phasors, seen, q = Q.value(), all_k = K.value(), v = V.value(), dQ = accumulator(Q), dK = accumulator(K),
       dV = accumulator(V)](const Tensor<C>& d_o) {
        const Tensor<C> k = seen(all_k);
        const auto gradients = tiles.backward(phasors(q), phasors(k), as_real(v), output, as_real(d_o));
        const auto from_phase = [](auto z, auto du) { return turn(z, conj_mul(phasor(z), du).im); };
        accumulate_map(dQ, from_phase, q, as_complex(gradients.dq));
        accumulate_map(dK, from_phase, k, as_complex(gradients.dk));
        dV.add(as_complex(gradients.dv));
      },
      [&](const auto&) {
        const Var<R> v = view_as_real(V).with_tangent(view_as_real(tangent(V)));
        return view_as_complex(attention_tangent(phasors_with_tangents(Q), phasors_with_tangents(K), v, options));
      },
      Q, K, V);
}

#define ARGAND_ANGULAR_ATTENTION(R)                                                                         \
  template Var<std::complex<R>> angular_attention(const Var<std::complex<R>>&, const Var<std::complex<R>>&, \
                                                  const Var<std::complex<R>>&, const AttentionOptions&);
ARGAND_FOR_REAL(ARGAND_ANGULAR_ATTENTION)

}  // namespace argand
