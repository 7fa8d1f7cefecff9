#include "autograd/ops/rows/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/shape.h"
#include "core/kernels/reduce.h"
#include "core/kernels/vector_math.h"

namespace argand {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// log Σ e^{x_i} of a row, in two parts: the largest entry, and log1p of the sum of the others' e^{x_i - top}. The largest entry's
/// own term, 1, would absorb the others where they are small.
template <RealScalar R>
struct LogSum {
  R top;        ///< the largest; -inf for an empty row
  R log_total;  ///< log Σ e^{x_i - top}, at least 0; -inf if all entries are -inf

  LogSum(const R* x, std::int64_t n) : top(pack_max(0, n, x)) {
    R others;
    if (std::isfinite(top)) {
      const std::int64_t at = std::find(x, x + n, top) - x;
      const auto term = [this, x](auto i) { return math::exp(i.load(x) - top); };
      others = pack_sum<R>(0, at, term) + pack_sum<R>(at + 1, n, term);
    } else {  // infinite entries count as 1 each, the others as 0; a NaN propagates
      others = lane_sum<R>(n, [&](std::int64_t i) { return x[i] == top ? R(1) : std::exp(x[i] - top); }) - 1;
    }
    const bool none = top < 0 && std::isinf(top) && !std::isnan(others);
    log_total = none ? -std::numeric_limits<R>::infinity() : std::log1p(others);
  }
  R log() const { return std::isnan(log_total) ? log_total : top + log_total; }
  /// log softmax(x).
  R log_share(R x) const { return top == std::numeric_limits<R>::infinity() && x == top ? -log_total : (x - top) - log_total; }
  bool is_regular() const { return std::isfinite(top); }
  bool is_empty() const { return log_total == -std::numeric_limits<R>::infinity(); }
};

/// The index at which p, values that sum to 1 (or their logarithms), exceeds `half`; n if there is none. At that index 1 - p is
/// computed as the sum of the other elements.
template <RealScalar R>
std::int64_t index_above(R half, const R* p, std::int64_t n) {
  const R top = pack_max(0, n, p);
  return top > half ? std::find(p, p + n, top) - p : n;
}

/// Calls f for the packs of [0, n), leaving out the element `one`.
template <RealScalar R, class F>
void for_packs_except(std::int64_t one, std::int64_t n, const F& f) {
  for_packs<R>(0, std::min(one, n), f);
  for_packs<R>(one + 1, n, f);
}

/// x with the axis moved last.
template <RealScalar R>
Var<R> axis_last(const Var<R>& x, int axis) {
  axis = x.shape().checked(axis);
  if (axis == x.rank() - 1) return x;
  std::vector<int> order;
  for (int k = 0; k < x.rank(); ++k)
    if (k != axis) order.push_back(k);
  order.push_back(axis);
  return permute(x, order);
}

}  // namespace

// ------------------------------------------------------------------------------------------------ logsumexp

static const Op logsumexp_op(
    {.name = "logsumexp",
     .kind = Kind::Real,
     .equation = "y = log Σ e^{x_i} = m + log(1 + Σ_{i ≠ k} e^{x_i - m}), m = x_k = max x",
     .dz = "∂y/∂x_i = e^{x_i - y}",
     .dzbar = "no complex input",
     .vjp = "dx_i = p_i dy, p_i = e^{x_i - y} = e^{(x_i - m) - log Σ e^{x_j - m}}",
     .jvp = "ẏ = Σ p_i ẋ_i, p = softmax(x)",
     .derivation =
         "e^y = Σ e^{x_i} gives e^y ∂y/∂x_i = e^{x_i}. The shift m cancels; log1p keeps the terms that are small compared "
         "with the largest. e^{x_i - y} = p_i. Over an axis other than the last, x is permuted first.",
     .singular = "x_i = -inf: gradient 0. All x_i = -inf, or no elements: y = -inf, all gradients 0. x_i = +inf: y = +inf, p_i = 1 "
                 "and 0 elsewhere; k entries of +inf: 1/k each, as if they were equal",
     .source = "Blanchard, Higham, Higham, IMA J. Numer. Anal. 41 (2021), eq. 1.1"},
    [](OpCheck& check) {
      const auto f = [](auto x) { return logsumexp(x); };
      check.function("row", f, check.real({5}));
      check.function(
          "rows, kept", [](auto x) { return logsumexp(x, true); }, check.real({2, 3, 4}));
      check.function(
          "middle axis", [](auto x) { return logsumexp(x, 1); }, check.real({2, 3, 4}));
      check.sizes("row", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({2, n})); });
      check.sizes("rows", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n, 3})); });
      check.finite("large", f, Tensor<double>({2, 2}, {1e30, -1e30, -1000, -1001}));
      check.function("one dominant entry", f, Tensor<double>({2, 2}, {0, -8, -12, 0}));
      check.singular("a masked entry", f, Tensor<double>({2}, {3, -infinity}), Tensor<double>({2}, {1, 0}));
    });

template <RealScalar R>
Var<R> logsumexp(const Var<R>& x, bool keepdim) {
  require_axis("logsumexp", x.shape(), -1);
  const std::int64_t n = x.shape().back(), rows = x.shape().rows();
  // The gradient's exponential uses x - top, which is exact where it matters, not x - y: a large y has lost its low digits.
  Tensor<R> y(reduced(x.shape(), -1, keepdim));
  std::vector<LogSum<R>> sums(static_cast<std::size_t>(rows), LogSum<R>(nullptr, 0));
  parallel_for(rows, row_grain(n), [&, out = y.data()](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const LogSum<R>& row = sums[static_cast<std::size_t>(r)] = LogSum<R>(x.value().data() + r * n, n);
      out[r] = row.log();
    }
  });
  return record(
      logsumexp_op, y,
      [x = x.value(), sums = std::move(sums), n, rows, dx = accumulator(x)](const Tensor<R>& dy) {
        dx.accumulate([&](R* out, bool add) {
          parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
              const LogSum<R>& row = sums[static_cast<std::size_t>(r)];
              const R* in = x.data() + r * n;
              R* dx_row = out + r * n;
              const R m = row.top, log_total = row.log_total, g = dy.data()[r];
              if (row.is_regular()) {
                for_packs<R>(0, n, [&](auto at) { at.put(dx_row, math::exp(at.load(in) - m - log_total) * g, add); });
                continue;
              }
              for (std::int64_t i = 0; i < n; ++i) {
                const R d = row.is_empty() ? R(0) : std::exp(row.log_share(in[i])) * g;
                dx_row[i] = add ? dx_row[i] + d : d;
              }
            }
          });
        });
      },
      [&](const auto&) { return sum(softmax(x) * tangent(x), -1, keepdim); }, x);
}

template <RealScalar R>
Var<R> logsumexp(const Var<R>& x, int axis, bool keepdim) {
  require_axis("logsumexp", x.shape(), axis);
  return reshape(logsumexp(axis_last(x, axis)), reduced(x.shape(), axis, keepdim));
}

// ------------------------------------------------------------------------------------------------ softmax

static const Op softmax_op(
    {.name = "softmax",
     .kind = Kind::Real,
     .equation = "y_i = e^{x_i - m} / Σ_j e^{x_j - m}, m = max x",
     .dz = "∂y_i/∂x_j = y_i (δ_ij - y_j)",
     .dzbar = "no complex input",
     .vjp = "dx_j = y_j (dy_j - Σ_i y_i dy_i), = y_j Σ_{i ≠ j} y_i (dy_j - dy_i) for y_j > 1/2",
     .jvp = "ẏ_i = y_i (ẋ_i - Σ_j y_j ẋ_j)",
     .derivation = "log y_i = x_i - logsumexp(x), so ∂y_i/∂x_j = y_i (δ_ij - y_j); Σ_i dy_i y_i (δ_ij - y_j) is the gradient "
                   "above. Only the output is saved. As the y_i sum to 1, the difference equals Σ_i y_i (dy_j - dy_i), which does "
                   "not cancel where y_j is close to 1. The Jacobian is symmetric, so the tangent is the same product.",
     .singular = "x_i = -inf: y_i = 0, gradient 0. All x_i = -inf: y = 0, gradient 0. x_i = +inf: y_i = 1, the others 0, gradient "
                 "0; k entries of +inf: 1/k each, as if they were equal",
     .source = "Bridle, Neurocomputing (1990), 227"},
    [](OpCheck& check) {
      const auto f = [](auto x) { return softmax(x); };
      check.function("row", f, check.real({5}));
      check.function("rows", f, check.real({2, 3, 4}));
      check.sizes("row", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({2, n})); });
      check.sizes("rows", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n, 3})); });
      check.finite("large", f, Tensor<double>({2, 2}, {1e30, -1e30, -1000, -1001}));
      check.singular("nothing but masked entries", f, Tensor<double>({2}, {-infinity, -infinity}), Tensor<double>({2}, {0, 0}));
    });

template <RealScalar R>
Var<R> softmax(const Var<R>& x) {
  require_axis("softmax", x.shape(), -1);
  const std::int64_t n = x.shape().back(), rows = x.shape().rows();
  Tensor<R> y(x.shape());
  parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const R* in = x.value().data() + r * n;
      R* __restrict out = y.data() + r * n;
      const R top = pack_max(0, n, in), m = std::isfinite(top) ? top : R(0);
      R total = 0;
      if (top == std::numeric_limits<R>::infinity())
        for (std::int64_t i = 0; i < n; ++i) total += out[i] = in[i] == top ? R(1) : std::exp(in[i] - top);
      else
        total = pack_sum<R>(0, n, [&](auto at) {
          const Pack<R> e = math::exp(at.load(in) - m);
          at.store(out, e);
          return e;
        });
      const R inverse = total == 0 ? R(0) : 1 / total;
      for_packs<R>(0, n, [&](auto at) { at.store(out, at.load(out) * inverse); });
    }
  });
  return record(
      softmax_op, y,
      [y, n, rows, dx = accumulator(x)](const Tensor<R>& dy) {
        dx.accumulate([&](R* out, bool add) {
          parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
              const R *p = y.data() + r * n, *g = dy.data() + r * n;
              R* dx_row = out + r * n;
              const R mean = pack_sum<R>(0, n, [&](auto at) { return at.load(p) * at.load(g); });
              const std::int64_t k = index_above(R(0.5), p, n);
              for_packs_except<R>(k, n, [&](auto at) { at.put(dx_row, at.load(p) * (at.load(g) - mean), add); });
              if (k == n) continue;
              const auto from_others = [&](auto at) { return at.load(p) * (Pack<R>(g[k]) - at.load(g)); };
              const R d = p[k] * (pack_sum<R>(0, k, from_others) + pack_sum<R>(k + 1, n, from_others));
              dx_row[k] = add ? dx_row[k] + d : d;
            }
          });
        });
      },
      [&](const Var<R>& y) { return y * (tangent(x) - sum(y * tangent(x), -1, true)); }, x);
}

// ------------------------------------------------------------------------------------------------ log_softmax

static const Op log_softmax_op({.name = "log_softmax",
                                .kind = Kind::Real,
                                .equation = "y_i = (x_i - m) - log Σ_j e^{x_j - m}, m = max x, as in logsumexp",
                                .dz = "∂y_i/∂x_j = δ_ij - p_j, p_j = e^{y_j}",
                                .dzbar = "no complex input",
                                .vjp = "dx_j = dy_j - p_j Σ_i dy_i, = (1 - p_j) dy_j - p_j Σ_{i ≠ j} dy_i for p_j > 1/2",
                                .jvp = "ẏ_i = ẋ_i - Σ_j p_j ẋ_j",
                                .derivation = "The derivative of log Σ e^{x_j} with respect to x_j is p_j = softmax(x)_j. Only the "
                                              "output is saved; 1 - p_j = -expm1(y_j).",
                                .singular = "x_i = -inf: y_i = -inf and p_i = 0; all x_i = -inf: y = -inf, p = 0. x_i = +inf: y_i "
                                            "= 0, the others -inf; k entries of +inf: y_i = -log k, as if they were equal",
                                .source = "Blanchard, Higham, Higham, IMA J. Numer. Anal. 41 (2021), eq. 1.2"},
                               [](OpCheck& check) {
                                 const auto f = [](auto x) { return log_softmax(x); };
                                 check.function("row", f, check.real({5}));
                                 check.function("rows", f, check.real({2, 3, 4}));
                                 check.sizes("row", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({2, n})); });
                                 check.sizes("rows", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n, 3})); });
                                 check.finite("large", f, Tensor<double>({2, 2}, {1e30, -1e30, -1000, -1001}));
                               });

template <RealScalar R>
Var<R> log_softmax(const Var<R>& x) {
  require_axis("log_softmax", x.shape(), -1);
  const std::int64_t n = x.shape().back(), rows = x.shape().rows();
  Tensor<R> y(x.shape());
  parallel_for(rows, row_grain(n), [&, to = y.data()](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const R* in = x.value().data() + r * n;
      R* __restrict out = to + r * n;
      const LogSum<R> row(in, n);
      if (row.is_regular())
        for_packs<R>(0, n, [&, m = row.top, log_total = row.log_total](auto at) { at.store(out, (at.load(in) - m) - log_total); });
      else  // -inf if all entries are -inf
        for (std::int64_t i = 0; i < n; ++i) out[i] = row.is_empty() ? in[i] : row.log_share(in[i]);
    }
  });
  return record(
      log_softmax_op, y,
      [y, n, rows, dx = accumulator(x)](const Tensor<R>& dy) {
        dx.accumulate([&](R* out, bool add) {
          parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
              const R *in = y.data() + r * n, *g = dy.data() + r * n;
              R* dx_row = out + r * n;
              const R total = pack_sum<R>(0, n, [&](auto at) { return at.load(g); });
              const std::int64_t k = index_above(-std::numbers::ln2_v<R>, in, n);
              for_packs_except<R>(k, n, [&](auto at) { at.put(dx_row, at.load(g) - math::exp(at.load(in)) * total, add); });
              if (k == n) continue;
              const auto incoming = [&](auto at) { return at.load(g); };
              const R of_others = pack_sum<R>(0, k, incoming) + pack_sum<R>(k + 1, n, incoming);
              const R d = -std::expm1(in[k]) * g[k] - std::exp(in[k]) * of_others;
              dx_row[k] = add ? dx_row[k] + d : d;
            }
          });
        });
      },
      [&](const auto&) { return tangent(x) - sum(softmax(x) * tangent(x), -1, true); }, x);
}

#define ARGAND_SOFTMAX(R)                              \
  template Var<R> logsumexp(const Var<R>&, bool);      \
  template Var<R> logsumexp(const Var<R>&, int, bool); \
  template Var<R> softmax(const Var<R>&);              \
  template Var<R> log_softmax(const Var<R>&);
ARGAND_FOR_REAL(ARGAND_SOFTMAX)

}  // namespace argand
