#include "autograd/ops/attention/magnitude_attention.h"

#include <numbers>

#include "autograd/op_check.h"
#include "autograd/ops/attention/attention_tangent.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/magnitude_tangent.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/vector_math.h"
#include "core/quaternion.h"

namespace argand {

static const Op magnitude_attention_op(
    {.name = "magnitude_attention",
     .kind = Kind::Real,
     .equation =
         "O = P V, P = softmax(scale · |S|), S = Q Kᵀ in the algebra: S_a = Q_a K_aᵀ + κ Q_b K_bᵀ, S_b = Q_a K_bᵀ + Q_b K_aᵀ",
     .dz = "∂|S|/∂S_a = S_a/|S|, ∂|S|/∂S_b = w S_b/|S|, ∂|S|/∂w = S_b²/(2|S|); ∂S_a/∂κ = Q_b K_bᵀ",
     .dzbar = "no complex input; hypercomplex numbers enter as their parts",
     .vjp =
         "G = d|S| as in attention;  dS_a = G S_a/|S|, dS_b = G w S_b/|S|;  with the queries' copies Q⁰ = (Q_a, κ Q_b), Q¹ = (Q_b, "
         "Q_a), S_c = Qᶜ Kᵀ:  dQᶜ = dS_c K, dK = Σ_c dS_cᵀ Qᶜ;  dθ = dκ/dθ Σ dQ⁰_b Q_b + dw/dθ Σ G S_b²/(2|S|)",
     .jvp = "Ȯ as in attention, with |S|˙ = (S_a Ṡ_a + w S_b Ṡ_b + ẇ S_b²/2)/|S|,  Ṡ_c = Q̇ᶜ Kᵀ + Qᶜ K̇ᵀ,  Q̇⁰ = (Q̇_a, κ Q̇_b + κ̇ Q_b)",
     .derivation = "Each part of S is a real dot product of the key's parts with a rearranged, signed copy of the query's, so the "
                   "scores of all parts are one real product [Q⁰; Q¹] Kᵀ of the pairs as stored, and so are both gradients. "
                   "Quaternions have four copies. |S| and the softmax are recomputed, tile by tile, from the rows' sums. Forward: "
                   "the chain rule along the same path.",
     .singular = "S = 0 has |S| = 1e-6 and gradient 0; a query without visible keys has O = 0 and gradient 0",
     .source = "QIC's attention; Dao et al., FlashAttention (2022), appendix B.2"},
    [](OpCheck& check) {
      constexpr double pi = std::numbers::pi;
      AttentionOptions causal, padded, dropped, bare;
      bare.n_heads = causal.n_heads = padded.n_heads = dropped.n_heads = 2;
      bare.scale = causal.scale = padded.scale = dropped.scale = 0.6;
      causal.causal = dropped.causal = true;
      padded.visible_keys = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 1, 0, 1, 1, 1, 0, 0});
      dropped.dropout = 0.4, dropped.random = Random(7);
      const auto with = [](int parts, Magnitude kind, bool conjugate, AttentionOptions o) {
        return [=](auto q, auto k, auto v, auto theta) {
          using R = typename decltype(q)::value_type;
          return magnitude_attention(q, k, v, Measure<R>{parts, kind, theta}, conjugate, o);
        };
      };
      const auto qic = [&](std::string label, Magnitude kind, bool conjugate, AttentionOptions o, double first, double second) {
        check.function(std::move(label), with(2, kind, conjugate, o), check.real({2, 3, 8}), check.real({2, 4, 8}),
                       check.real({2, 4, 4}), Tensor<double>({2}, {first, second}));
      };
      qic("euclidean, θ = 0.3 and -0.5", Magnitude::Euclidean, false, bare, 0.3, -0.5);
      qic("euclidean, θ = 0 and π/4", Magnitude::Euclidean, false, causal, 0, pi / 4);
      qic("algebraic, θ = π/2 and 1", Magnitude::Algebraic, false, causal, pi / 2, 1);
      qic("author, conjugated keys, padding", Magnitude::Author, true, padded, 0.2, pi / 4);
      qic("dropout", Magnitude::Euclidean, true, dropped, 0.2, 0.9);
      const auto grown = [with](OpCheck& at, int parts, Magnitude kind, bool is_causal, std::int64_t Tq, std::int64_t Tk,
                                std::int64_t D) {
        AttentionOptions o;
        o.n_heads = 2, o.causal = is_causal, o.scale = 0.6 / static_cast<double>(D);
        const std::int64_t width = 2 * parts * D;
        at.function("", with(parts, kind, true, o), at.real({1, Tq, width}), at.real({1, Tk, width}), at.real({1, Tk, width}),
                    Tensor<double>({2}, {0.3, 0.9}));
      };
      check.sizes("keys", [grown](OpCheck& at, std::int64_t n) { grown(at, 2, Magnitude::Euclidean, false, 2, n, 2); });
      check.sizes("queries", [grown](OpCheck& at, std::int64_t n) { grown(at, 2, Magnitude::Algebraic, false, n, 3, 2); });
      check.sizes(
          "causal", [grown](OpCheck& at, std::int64_t n) { grown(at, 2, Magnitude::Author, true, n, n, 1); }, 67);
      check.sizes(
          "width", [grown](OpCheck& at, std::int64_t n) { grown(at, 2, Magnitude::Euclidean, false, 2, 3, n); }, 67);
      check.sizes("quaternions, keys",
                  [grown](OpCheck& at, std::int64_t n) { grown(at, 4, Magnitude::Euclidean, false, 2, n, 1); });
      check.sizes(
          "quaternions, width", [grown](OpCheck& at, std::int64_t n) { grown(at, 4, Magnitude::Euclidean, false, 2, 3, n); }, 67);
      for (const bool conjugate : {false, true})
        check.function(conjugate ? "quaternions, conjugated keys" : "quaternions", with(4, Magnitude::Euclidean, conjugate, causal),
                       check.real({2, 3, 8}), check.real({2, 3, 8}), check.real({2, 3, 4}), Tensor<double>({1}, {0.0}));
      const auto of_zeros = [bare](auto q) {
        using R = typename decltype(q)::value_type;
        const Var<R> v(Tensor<R>({1, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
        return magnitude_attention(q, q, v, Measure<R>{2, Magnitude::Algebraic, Var<R>(Tensor<R>::ones({1}))}, false, bare);
      };
      check.singular("zeros", of_zeros, Tensor<double>::zeros({1, 3, 8}), Tensor<double>::zeros({1, 3, 8}));
      AttentionOptions blind;
      blind.visible_keys = std::make_shared<std::vector<std::uint8_t>>(3, std::uint8_t{0});
      check.finite("no visible key", with(2, Magnitude::Euclidean, false, blind), check.real({1, 3, 4}), check.real({1, 3, 4}),
                   check.real({1, 3, 4}), Tensor<double>({1}, {0.3}));
    });

namespace {

/// Part c of q·k is Σ_p sign · q[part] · k[p], times κ if both are J parts.
struct Term {
  int part;
  int sign;
  bool kappa;
};
template <int P>
constexpr Term product_term(int c, int p) {
  if constexpr (P == 2) return {c == p ? 0 : 1, 1, c == 0 && p == 1};
  if constexpr (P == 4) return {hamilton[c][p].part, hamilton[c][p].sign, false};
}

/// The scores |S| of one head; see AttentionLoops for tile() and gradient().
template <int P, RealScalar R>
class MagnitudeScores {
 public:
  using Loops = AttentionLoops<R>;
  /// q, k, dq, dk: this head's part. dq and dk are zeroed by the caller, and null in the forward pass.
  MagnitudeScores(const Loops& loops, R kappa, R weight, bool conjugate_keys, const R* q, const R* k, R* dq = nullptr,
                  R* dk = nullptr)
      : loops_(loops),
        kappa_(kappa),
        weight_(weight),
        conjugate_(conjugate_keys),
        q_(q),
        k_(k),
        dq_(dq),
        dk_(dk),
        copies_(static_cast<std::size_t>(P * Loops::query_tile * loops.dk)),
        dcopies_(dq != nullptr ? copies_.size() : 0),
        parts_(static_cast<std::size_t>(P * Loops::query_tile * Loops::key_tile)) {}

  void tile(std::int64_t q0, std::int64_t rows, std::int64_t k0, std::int64_t columns, R* scores) {
    if (k0 == 0) copy_queries(q0, rows);
    // All parts in one product: the copies are stacked vertically.
    gemm<R>(Transpose::No, Transpose::Yes, P * rows, columns, loops_.dk, 1, copies_.data(), loops_.dk, k_ + k0 * step(), step(), 0,
            parts_.data(), Loops::key_tile);
    const R w = weight_, scale = static_cast<R>(loops_.options.scale);
    for (std::int64_t i = 0; i < rows; ++i) {
      const R* s = parts_.data() + i * Loops::key_tile;
      const std::int64_t next = rows * Loops::key_tile;
      R* __restrict out = scores + i * Loops::key_tile;
      for_packs<R>(0, columns, [&](auto at) {
        const Pack<R> a = at.load(s);
        at.store(out, math::sqrt(a * a + square_of_rest(at, s, next) * w + magnitude_eps<R>) * scale);
      });
    }
  }

  void gradient(std::int64_t q0, std::int64_t rows, std::int64_t k0, std::int64_t columns, R* g) {
    const R w = weight_;
    for (std::int64_t i = 0; i < rows; ++i) {
      R* __restrict s = parts_.data() + i * Loops::key_tile;
      const std::int64_t next = rows * Loops::key_tile;
      const R* grad = g + i * Loops::key_tile;
      dweight_ += pack_sum<R>(0, columns,
                              [&](auto at) {
                                const Pack<R> a = at.load(s), rest = square_of_rest(at, s, next);
                                const Pack<R> t = at.load(grad) / math::sqrt(a * a + rest * w + magnitude_eps<R>);
                                at.store(s, a * t);
                                for (int p = 1; p < P; ++p) at.store(s + p * next, at.load(s + p * next) * (t * w));
                                return t * rest;
                              }) /
                  2;
    }
    gemm<R>(Transpose::No, Transpose::No, P * rows, loops_.dk, columns, 1, parts_.data(), Loops::key_tile, k_ + k0 * step(), step(),
            0, dcopies_.data(), loops_.dk);
    gemm<R>(Transpose::Yes, Transpose::No, columns, loops_.dk, P * rows, 1, parts_.data(), Loops::key_tile, copies_.data(),
            loops_.dk, 1, dk_ + k0 * step(), step());
    gather_queries(q0, rows);
  }

  double dkappa() const { return dkappa_; }
  double dweight() const { return dweight_; }

 private:
  /// Σ of the squares of the scores' parts except the first; `next` is the stride between parts.
  template <class At>
  static Pack<R> square_of_rest(At at, const R* s, std::int64_t next) {
    Pack<R> rest(0);
    for (int p = 1; p < P; ++p) {
      const Pack<R> part = at.load(s + p * next);
      rest += part * part;
    }
    return rest;
  }

  std::int64_t step() const { return loops_.H * loops_.dk; }  ///< distance between positions
  R coefficient(Term term, int key_part) const {
    const R sign = static_cast<R>(conjugate_ && key_part > 0 ? -term.sign : term.sign);
    return term.kappa ? sign * kappa_ : sign;
  }

  void copy_queries(std::int64_t q0, std::int64_t rows) {
    for (int c = 0; c < P; ++c)
      for (std::int64_t i = 0; i < rows; ++i) {
        const R* __restrict from = q_ + (q0 + i) * step();
        R* __restrict to = copies_.data() + (c * rows + i) * loops_.dk;
        for (int p = 0; p < P; ++p) {
          const Term term = product_term<P>(c, p);
          const R factor = coefficient(term, p);
          for (std::int64_t j = 0; j < loops_.dk; j += P) to[j + p] = factor * from[j + term.part];
        }
      }
  }

  /// Adds the copies' gradients to those of the original parts, and to dκ.
  void gather_queries(std::int64_t q0, std::int64_t rows) {
    for (int c = 0; c < P; ++c)
      for (std::int64_t i = 0; i < rows; ++i) {
        const R* __restrict from = dcopies_.data() + (c * rows + i) * loops_.dk;
        const R* q = q_ + (q0 + i) * step();
        R* __restrict to = dq_ + (q0 + i) * step();
        for (int p = 0; p < P; ++p) {
          const Term term = product_term<P>(c, p);
          const R factor = coefficient(term, p);
          for (std::int64_t j = 0; j < loops_.dk; j += P) to[j + term.part] += factor * from[j + p];
          if (!term.kappa) continue;
          double sum = 0;
          for (std::int64_t j = 0; j < loops_.dk; j += P) sum += static_cast<double>(from[j + p]) * q[j + term.part];
          dkappa_ += conjugate_ ? -sum : sum;
        }
      }
  }

  const Loops& loops_;
  R kappa_, weight_;
  bool conjugate_;
  const R *q_, *k_;
  R *dq_, *dk_;
  Scratch<R> copies_, dcopies_;  ///< the copies of a tile's queries, [P, rows, d_k · P], and their gradients
  Scratch<R> parts_;             ///< the parts of the scores, [P, rows, key_tile]
  double dkappa_ = 0, dweight_ = 0;
};

/// [B, T, H · n · P] -> [B, H, T, P · n], with the tangent: heads first, and each part contiguous.
template <int P, RealScalar R>
Var<R> with_contiguous_parts(const Var<R>& x, std::int64_t H) {
  const std::int64_t B = x.dim(0), T = x.dim(1), width = x.dim(2) / H;
  const auto split = [=](const Var<R>& y) {
    return reshape(permute(reshape(y, {B, T, H, width / P, P}), {0, 2, 1, 4, 3}), {B, H, T, width});
  };
  return split(x).with_tangent(split(tangent(x)));
}

/// The P copies Qᶜ of queries q [B, H, T, P · n], stacked vertically: [B, H, P · T, P · n], with their tangents.
template <int P, RealScalar R>
Var<R> copies_of(const Var<R>& q, const Var<R>& theta, bool conjugate_keys) {
  const std::int64_t n = q.dim(3) / P;
  const Shape angles{theta.size(), 1, 1};
  const Var<R> k = kappa(reshape(theta, angles).with_tangent(reshape(tangent(theta), angles)));
  std::vector<Var<R>> copies, moved;
  for (int c = 0; c < P; ++c) {
    std::vector<Var<R>> parts, their_tangents;
    for (int p = 0; p < P; ++p) {
      const Term term = product_term<P>(c, p);
      const R sign = static_cast<R>(conjugate_keys && p > 0 ? -term.sign : term.sign);
      const auto part_of = [&](const Var<R>& x) {
        const Var<R> part = slice(x, 3, term.part * n, (term.part + 1) * n);
        return sign < 0 ? -part : part;
      };
      const Var<R> part = part_of(q), dot = part_of(tangent(q));
      parts.push_back(term.kappa ? k * part : part);
      their_tangents.push_back(term.kappa ? k * dot + tangent(k) * part : dot);
    }
    copies.push_back(concatenate(parts, 3));
    moved.push_back(concatenate(their_tangents, 3));
  }
  return concatenate(copies, 2).with_tangent(concatenate(moved, 2));
}

/// The tangent of attention with scores scale · |S|.
template <int P, RealScalar R>
Var<R> magnitude_attention_tangent(const AttentionLoops<R>& a, const Var<R>& q, const Var<R>& k, const Var<R>& v,
                                   const Measure<R>& measure, bool conjugate_keys) {
  const Var<R> keys = with_contiguous_parts<P>(k, a.H),
               copies = copies_of<P>(with_contiguous_parts<P>(q, a.H), measure.theta, conjugate_keys);
  const auto product = [&](const Var<R>& x, const Var<R>& y) {
    return reshape(matmul(x, y, Transpose::No, Transpose::Yes), {a.B, a.H, P, a.Tq, a.Tk});
  };
  const Var<R> S = product(copies, keys).with_tangent(product(tangent(copies), keys) + product(copies, tangent(keys)));
  const Var<R> size = magnitude_of(S, measure);
  const auto scaled = [&](const Var<R>& x) { return reshape(static_cast<R>(a.options.scale) * x, {a.B, a.H, a.Tq, a.Tk}); };
  return weighting_tangent(a, scaled(size).with_tangent(scaled(tangent(size))), v);
}

}  // namespace

template <RealScalar R>
Var<R> magnitude_attention(const Var<R>& q, const Var<R>& k, const Var<R>& v, const Measure<R>& measure, bool conjugate_keys,
                           const AttentionOptions& options) {
  const AttentionLoops<R> a("magnitude_attention", q.shape(), k.shape(), v.shape(), options);
  const Shape angles = measure.theta.shape();
  require_parts("magnitude_attention", measure.parts);
  require(a.dk % measure.parts == 0, "magnitude_attention", "head width {} is not divisible into {} equal parts", a.dk,
          measure.parts);
  require(angles.size() == 1 || angles.size() == a.H, "magnitude_attention", "{} heads need {} angles or one, got shape {}", a.H,
          a.H, angles);
  // A constant copy of the angles for this pass.
  const Measure<R> at{measure.parts, measure.kind, Var<R>(measure.theta.value())};
  Tensor<R> out(Shape{a.B, a.Tq, a.H * a.dv}), sums = a.make_sums();
  const Tensor<R> keys = a.visible(k.value()), values = a.visible(v.value());
  with_parts(measure.parts, [&]<int P>() {
    a.for_each_head([&](std::int64_t b, std::int64_t h) {
      MagnitudeScores<P, R> scores(a, kappa(at.angle(h)), at.weight(h), conjugate_keys, q.value().data() + a.at_q(b, h),
                                   keys.data() + a.at_k(b, h));
      a.forward(scores, values.data() + a.at_v(b, h), b, h, out.data() + a.at_out(b, h), sums.data() + a.at_row(b, h));
    });
  });
  return record(
      magnitude_attention_op, out,
      [=, qv = q.value(), kv = keys, vv = values, dq = accumulator(q), dk = accumulator(k), dv = accumulator(v),
       dtheta = accumulator(measure.theta)](const Tensor<R>& go) {
        Tensor<R> gq(qv.shape()), gk(kv.shape()), gv(vv.shape());
        Tensor<double> slopes(Shape{a.B, a.H});  // dL/dθ for each head of each sequence
        with_parts(at.parts, [&]<int P>() {
          a.for_each_head([&](std::int64_t b, std::int64_t h) {
            a.zero_head(b, h, gq, gk, gv);
            MagnitudeScores<P, R> scores(a, kappa(at.angle(h)), at.weight(h), conjugate_keys, qv.data() + a.at_q(b, h),
                                         kv.data() + a.at_k(b, h), gq.data() + a.at_q(b, h), gk.data() + a.at_k(b, h));
            a.backward(scores, vv.data() + a.at_v(b, h), out.data() + a.at_out(b, h), sums.data() + a.at_row(b, h),
                       go.data() + a.at_out(b, h), b, h, gv.data() + a.at_v(b, h));
            const double slope = at.weight_derivative(h);
            slopes.data()[b * a.H + h] = slope == 0 ? 0 : slope * scores.dweight();
            if (P == 2) slopes.data()[b * a.H + h] += kappa_derivative(at.angle(h)) * scores.dkappa();  // quaternions have no θ
          });
        });
        a.zero_hidden_rows(gk);
        a.zero_hidden_rows(gv);
        dq.add(gq);
        dk.add(gk);
        dv.add(gv);
        if (!dtheta) return;
        Tensor<double> total = Tensor<double>::zeros(angles);
        for (std::int64_t i = 0; i < a.B * a.H; ++i) total.data()[angles.size() == 1 ? 0 : i % a.H] += slopes.data()[i];
        dtheta.add(map([](double sum) { return static_cast<R>(sum); }, total));
      },
      [&](const auto&) {
        return measure.parts == 2 ? magnitude_attention_tangent<2>(a, q, k, v, measure, conjugate_keys)
                                  : magnitude_attention_tangent<4>(a, q, k, v, measure, conjugate_keys);
      },
      q, k, v, measure.theta);
}

#define ARGAND_MAGNITUDE_ATTENTION(R)                                                                       \
  template Var<R> magnitude_attention(const Var<R>&, const Var<R>&, const Var<R>&, const Measure<R>&, bool, \
                                      const AttentionOptions&);
ARGAND_FOR_REAL(ARGAND_MAGNITUDE_ATTENTION)

}  // namespace argand
