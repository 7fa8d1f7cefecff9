#include "autograd/ops/attention/selected_attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/op_check.h"
#include "autograd/ops/attention/attention_tangent.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/kernels/pack.h"
#include "core/kernels/reduce.h"
#include "core/kernels/vector_math.h"

namespace argand {

static const Op selected_attention_op(
    {.name = "selected_attention",
     .kind = Kind::Real,
     .equation = "o = Σ_j β_j m_j, β = softmax(a), a_j = scale · q·m_j, m_j = M[s_j], query by query",
     .dz = "∂β_i/∂a_j = β_i (δ_ij - β_j)",
     .dzbar = "no complex input",
     .vjp = "da_j = β_j (do·m_j - do·o);  dq = scale Σ_j da_j m_j;  dM[v] = Σ β_j do + scale da_j q over the j with s_j = v",
     .jvp = "ȯ = Σ_j β_j (ȧ_j - Σ_i β_i ȧ_i) m_j + β_j ṁ_j,  ȧ_j = scale (q̇·m_j + q·ṁ_j)",
     .derivation = "∂o/∂β_j = m_j gives dβ_j = do·m_j; the softmax's Jacobian gives da_j = β_j (dβ_j - Σ_i β_i dβ_i), and Σ_i β_i "
                   "(do·m_i) = do·o. a is bilinear in q and m_j, o linear in m_j: each selected row receives both parts. The "
                   "tangent is that of attention from one query to k keys: the selected rows, which are also the values.",
     .singular = "none; with k = 0 the value and all gradients are 0",
     .source = "CRAT, Imaginary Reflection Window: β = softmax(q·Enc/τ), c = Σ β Enc"},
    [](OpCheck& check) {
      const Ids selected({2, 2, 3}, {0, 3, 1, 2, 2, 4, 4, 3, 2, 1, 0, 3});
      const auto f = [selected](auto q, auto m) { return selected_attention(q, m, selected, 0.7); };
      check.function("real", f, check.real({2, 2, 4}), check.real({5, 4}));
      check.sizes("width", [](OpCheck& at, std::int64_t n) {
        const double scale = 1 / std::sqrt(static_cast<double>(n));
        const auto wide = [scale](auto q, auto m) { return selected_attention(q, m, Ids({1, 2, 3}, {0, 3, 1, 2, 2, 4}), scale); };
        at.function("", wide, at.real({1, 2, n}), at.real({5, n}));
      });
      check.sizes(
          "chosen rows",
          [](OpCheck& at, std::int64_t n) {
            std::vector<Ids::value_type> rows(static_cast<std::size_t>(2 * n));
            for (std::size_t k = 0; k < rows.size(); ++k)
              rows[k] = static_cast<Ids::value_type>(7 * k % static_cast<std::size_t>(n));
            const auto many = [chosen = Ids({1, 2, n}, rows)](auto q, auto m) { return selected_attention(q, m, chosen, 0.7); };
            at.function("", many, at.real({1, 2, 4}), at.real({n, 4}));
          },
          67);
      check.sizes("queries", [](OpCheck& at, std::int64_t n) {
        std::vector<Ids::value_type> rows(static_cast<std::size_t>(3 * n));
        for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<Ids::value_type>(7 * k % 5);
        const auto many = [chosen = Ids({1, n, 3}, rows)](auto q, auto m) { return selected_attention(q, m, chosen, 0.7); };
        at.function("", many, at.real({1, n, 4}, -1, 1), at.real({5, 4}, -1, 1));
      });
      check.finite("huge scores", f, check.real({2, 2, 4}, -1e15, 1e15), check.real({5, 4}, -1e15, 1e15));
    });

template <RealScalar R>
Tensor<R> selection_weights(const Tensor<R>& q, const Tensor<R>& memory, const Ids& selected, R scale) {
  const std::int64_t r = memory.dim(1), k = selected.shape().back(), N = selected.size() / std::max<std::int64_t>(1, k);
  Tensor<R> beta(Shape{N, k});
  parallel_for(N, row_grain(k * r), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      R* b = beta.data() + n * k;
      for (std::int64_t j = 0; j < k; ++j) {
        const R *x = q.data() + n * r, *m = memory.data() + selected[n * k + j] * r;
        b[j] = scale * lane_sum<R>(r, [&](std::int64_t c) { return x[c] * m[c]; });
      }
      const R top = k > 0 ? pack_max(0, k, b) : R(0);
      R total = 0;
      for (std::int64_t j = 0; j < k; ++j) total += b[j] = std::exp(b[j] - top);
      for (std::int64_t j = 0; j < k; ++j) b[j] /= total;
    }
  });
  return beta;
}

template <RealScalar R>
Var<R> selected_attention(const Var<R>& q, const Var<R>& memory, const Ids& selected, double scale) {
  Shape chosen = q.shape();
  if (chosen.rank() > 0) chosen[-1] = selected.shape().rank() > 0 ? selected.shape().back() : 0;
  require(q.rank() >= 1 && memory.rank() == 2 && q.shape().back() == memory.dim(1) && chosen == selected.shape(),
          "selected_attention", "expects q [..., r], memory [P, r] and selected [..., k], got {}, {}, {}", q.shape(),
          memory.shape(), selected.shape());
  selected.check_below(memory.dim(0), "selected_attention");
  const std::int64_t r = memory.dim(1), k = selected.shape().back(), N = q.shape().rows();
  const R factor = static_cast<R>(scale);
  const Tensor<R> beta = selection_weights(q.value(), memory.value(), selected, factor);
  Tensor<R> o = Tensor<R>::zeros(q.shape());
  parallel_for(N, row_grain(k * r), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n)
      for (std::int64_t j = 0; j < k; ++j) {
        const R b = beta.data()[n * k + j], *m = memory.value().data() + selected[n * k + j] * r;
        R* __restrict out = o.data() + n * r;
        for (std::int64_t c = 0; c < r; ++c) out[c] += b * m[c];
      }
  });
  return record(
      selected_attention_op, o,
      [beta, selected, factor, r, k, N, qv = q.value(), mv = memory.value(), dq = accumulator(q),
       dmemory = accumulator(memory)](const Tensor<R>& d_o) {
        Tensor<R> da(beta.shape()), gq = Tensor<R>::zeros(qv.shape());
        parallel_for(N, row_grain(k * r), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t n = begin; n < end; ++n) {
            const R *g = d_o.data() + n * r, *weights = beta.data() + n * k;
            R *along = da.data() + n * k, *__restrict out = gq.data() + n * r;
            for (std::int64_t j = 0; j < k; ++j) {
              const R* m = mv.data() + selected[n * k + j] * r;
              along[j] = lane_sum<R>(r, [&](std::int64_t c) { return g[c] * m[c]; });
            }
            // A constant added to all dβ does not change da. Subtracting the dβ of the row with the largest weight avoids
            // cancellation where this weight is almost 1: do·m_j - do·o would be a difference of nearly equal numbers.
            const R common = k > 0 ? along[std::max_element(weights, weights + k) - weights] : R(0);
            for (std::int64_t j = 0; j < k; ++j) along[j] -= common;
            const R mean = lane_sum<R>(k, [&](std::int64_t j) { return weights[j] * along[j]; });
            for (std::int64_t j = 0; j < k; ++j) {
              const R *m = mv.data() + selected[n * k + j] * r, a = along[j] = factor * weights[j] * (along[j] - mean);
              for (std::int64_t c = 0; c < r; ++c) out[c] += a * m[c];
            }
          }
        });
        dq.add(std::move(gq));
        if (!dmemory) return;
        // Columns are split among threads: each element is written by one thread only, which adds in the order of the queries.
        Tensor<R> gm = Tensor<R>::zeros(mv.shape());
        const std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(R));
        parallel_for(r, N * k * r <= elementwise_grain ? r : line, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = 0; i < N * k; ++i) {
            const R b = beta.data()[i], a = da.data()[i];
            const R *g = d_o.data() + i / k * r, *x = qv.data() + i / k * r;
            R* __restrict out = gm.data() + selected[i] * r;
            for (std::int64_t c = begin; c < end; ++c) out[c] += b * g[c] + a * x[c];
          }
        });
        dmemory.add(std::move(gm));
      },
      [&](const auto&) {
        const Shape one{N, 1, r}, rows{N, k, r};
        const auto chosen = [&](const Var<R>& M) { return reshape(embedding(M, selected), rows); };
        const Var<R> query = reshape(q, one).with_tangent(reshape(tangent(q), one));
        const Var<R> keys = chosen(memory).with_tangent(chosen(tangent(memory)));
        AttentionOptions options;
        options.scale = scale;
        return reshape(attention_tangent(query, keys, keys, options), q.shape());
      },
      q, memory);
}

#define ARGAND_SELECTED_ATTENTION(R)                                                    \
  template Var<R> selected_attention(const Var<R>&, const Var<R>&, const Ids&, double); \
  template Tensor<R> selection_weights(const Tensor<R>&, const Tensor<R>&, const Ids&, R);
ARGAND_FOR_REAL(ARGAND_SELECTED_ATTENTION)

}  // namespace argand
