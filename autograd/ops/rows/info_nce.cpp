#include "autograd/ops/rows/info_nce.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/op_check.h"
#include "autograd/ops/rows/log_loss.h"
#include "autograd/tape.h"
#include "core/kernels/vector_math.h"
#include "core/parallel.h"

namespace argand {

static const Op info_nce_op(
    {.name = "info_nce",
     .kind = Kind::Real,
     .equation = "L = 1/A Σ_m [log(e^{s_mp} + Σ_n∈N(m) e^{s_mn}) - s_mp] over A anchors m, p the positive of m, N(m) its negatives",
     .dz = "∂L/∂s_mn = (w_mn - [n = p])/A, w_m = softmax over {p} ∪ N(m)",
     .dzbar = "no complex input",
     .vjp = "ds_mn = dL (w_mn - [n = p])/A, 0 where n is neither p nor in N(m)",
     .jvp = "L̇ = 1/A Σ_mn w_mn (ṡ_mn - ṡ_mp)",
     .derivation = "Cross entropy over the candidates {p} ∪ N(m) with target p: see cross_entropy. For the tangent, the "
                   "similarities of all other positions are masked with -inf.",
     .singular = "an anchor without negatives contributes 0, and a batch without anchors gives 0. Similarities of +inf share the "
                 "weight as if they were equal; an anchor whose similarities are all -inf: L = inf, and their gradient is 0",
     .source = "ComplexFormer, phase contrastive loss; van den Oord et al., CPC (2018), eq. 4"},
    [](OpCheck& check) {
      const auto f = [](auto s) { return info_nce(s, Ids({2, 5}, {1, 2, 1, 2, 1, 3, 3, 4, 5, 3})); };
      check.function("real", f, check.real({2, 5, 5}));
      // Tokens 0, 1, 2, 0, 1, 2, ...: all but the first three have a positive and negatives.
      const auto repeating = [](auto s) {
        std::vector<Ids::value_type> tokens(static_cast<std::size_t>(s.dim(0) * s.dim(1)));
        for (std::size_t k = 0; k < tokens.size(); ++k)
          tokens[k] = static_cast<Ids::value_type>(k % static_cast<std::size_t>(s.dim(1)) % 3);
        return info_nce(s, Ids({s.dim(0), s.dim(1)}, std::move(tokens)));
      };
      check.sizes(
          "tokens",
          [repeating](OpCheck& at, std::int64_t n) {
            at.function("", repeating, at.real({1, n, n}));
          },
          67);
      check.sizes("batches", [repeating](OpCheck& at, std::int64_t n) { at.function("", repeating, at.real({n, 4, 4})); });
      check.finite(
          "no anchor",
          [](auto s) {
            return info_nce(s, Ids({1, 3}, {1, 2, 3}));
          },
          check.real({1, 3, 3}));
      check.finite(
          "no negative",
          [](auto s) {
            return info_nce(s, Ids({1, 3}, {4, 4, 4}));
          },
          check.real({1, 3, 3}));
    });

template <RealScalar R>
Var<R> info_nce(const Var<R>& s, const Ids& tokens) {
  require(s.rank() == 3 && s.dim(1) == s.dim(2) && tokens.shape() == Shape({s.dim(0), s.dim(1)}), "info_nce",
          "expects s [B, T, T] and tokens [B, T], got {} and {}", s.shape(), tokens.shape());
  const std::int64_t B = s.dim(0), T = s.dim(1);
  Tensor<R> ds = Tensor<R>::zeros(s.shape());  // w - [n = p], the gradient up to the factor 1/A
  std::vector<double> losses(static_cast<std::size_t>(B), 0);
  std::vector<std::int64_t> anchors(static_cast<std::size_t>(B), 0);
  parallel_for(B, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
      for (std::int64_t m = 0; m < T; ++m) {
        const Ids::value_type* id = tokens.data() + b * T;
        std::int64_t p = m - 1;
        while (p >= 0 && id[p] != id[m]) --p;
        if (p < 0) continue;
        const R* row = s.value().data() + (b * T + m) * T;
        R* out = ds.data() + (b * T + m) * T;
        R top = row[p];
        for (std::int64_t n = 0; n < T; ++n)
          if (id[n] != id[m]) top = std::max(top, row[n]);
        // Candidates of +inf count as equal, all others as -inf; if all candidates are -inf, the loss is infinite.
        const R infinity = std::numeric_limits<R>::infinity();
        const auto below_top = [=](R s) { return s == top && top > 0 ? R(0) : top - s; };
        if (top == -infinity) {
          losses[static_cast<std::size_t>(b)] = static_cast<double>(infinity);
          ++anchors[static_cast<std::size_t>(b)];
          continue;
        }
        R negatives = 0;  // summed separately: where p dominates, 1 - w_p and log(total) would lose all digits
        for (std::int64_t n = 0; n < T; ++n)
          if (id[n] != id[m]) negatives += out[n] = std::exp(-below_top(row[n]));
        out[p] = -negatives;
        const R below = below_top(row[p]), total = std::exp(-below) + negatives;
        for (std::int64_t n = 0; n < T; ++n)
          if (id[n] != id[m] || n == p) out[n] /= total;
        losses[static_cast<std::size_t>(b)] += below == 0 ? std::log1p(static_cast<double>(negatives))
                                                          : static_cast<double>(below) + std::log(static_cast<double>(total));
        ++anchors[static_cast<std::size_t>(b)];
      }
  });
  double sum = 0;
  std::int64_t A = 0;
  for (std::size_t b = 0; b < losses.size(); ++b) sum += losses[b], A += anchors[b];
  const double mean = A > 0 ? sum / static_cast<double>(A) : 0;
  return record(
      info_nce_op, Tensor<R>::scalar(static_cast<R>(mean)),
      [ds, A, to = accumulator(s)](const Tensor<R>& dL) {
        const R factor = A > 0 ? dL.item() / static_cast<R>(A) : R(0);
        Tensor<R> g = ds;
        for (R& v : g.span()) v = v == 0 ? R(0) : v * factor;  // 0 for positions that are not candidates, even if dL is NaN
        to.add(g);
      },
      [&](const auto&) {
        Tensor<R> positive = Tensor<R>::zeros(s.shape()), hidden = Tensor<R>::full(s.shape(), -std::numeric_limits<R>::infinity());
        for (std::int64_t i = 0; i < s.size(); ++i) {  // the positive's residual is negative, the negatives' are positive
          if (ds.data()[i] != 0) hidden.data()[i] = 0;
          if (ds.data()[i] < 0) positive.data()[i] = 1;
        }
        return log_loss_tangent(s + constant(hidden), tangent(s), positive) / static_cast<R>(std::max<std::int64_t>(1, A));
      },
      s);
}

template Var<float> info_nce(const Var<float>&, const Ids&);
template Var<double> info_nce(const Var<double>&, const Ids&);

}  // namespace argand
