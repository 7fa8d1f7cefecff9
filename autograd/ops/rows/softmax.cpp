#include "autograd/ops/rows/softmax.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/rows/reduction.h"
#include "core/kernels/reduce.h"
#include "core/kernels/vector_math.h"

namespace argand {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest of n numbers when it can serve as a shift; 0 for an empty row or one whose largest is infinite.
template <RealScalar R>
R shift_of(const R* x, std::int64_t n) {
  const R m = pack_max(0, n, x);
  return std::isfinite(m) ? m : R(0);
}

}  // namespace

// ------------------------------------------------------------------------------------------------ logsumexp

static const Op logsumexp_op(
    {.name = "logsumexp",
     .kind = Kind::Real,
     .equation = "y = log Σ e^{x_i} = m + log Σ e^{x_i - m}, m = max x",
     .dz = "∂y/∂x_i = e^{x_i - y}",
     .dzbar = "no complex input",
     .vjp = "dx_i = e^{x_i - y} dy = e^{x_i - m - log Σ e^{x_j - m}} dy",
     .jvp = "ẏ = Σ p_i ẋ_i, p = softmax(x)",
     .derivation = "e^y = Σ e^{x_i} gives e^y ∂y/∂x_i = e^{x_i}. The shift m cancels. e^{x_i - y} = p_i.",
     .singular = "x_i = -inf: gradient 0. All of them: y = -inf, all gradients 0",
     .source = "Blanchard, Higham, Higham, IMA J. Numer. Anal. 41 (2021), eq. 1.1"},
    [](OpCheck& check) {
      const auto f = [](auto x) { return logsumexp(x); };
      check.function("row", f, check.real({5}));
      check.function(
          "rows, kept", [](auto x) { return logsumexp(x, true); }, check.real({2, 3, 4}));
      check.grows("row", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({2, n})); });
      check.grows("rows", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n, 3})); });
      check.finite("large", f, Tensor<double>({2, 2}, {1e30, -1e30, -1000, -1001}));
      check.singular("a masked entry", f, Tensor<double>({2}, {3, -infinity}), Tensor<double>({2}, {1, 0}));
    });

template <RealScalar R>
Var<R> logsumexp(const Var<R>& x, bool keepdim) {
  const std::int64_t n = x.shape().back(), rows = x.shape().rows();
  // The shift and the sum's logarithm stay apart: the exponential takes x - m, which is exact where it matters, and not x - y,
  // which has lost the digits below those of a large y.
  Tensor<R> y(reduced(x.shape(), -1, keepdim)), shift(Shape{rows}), log_sum(Shape{rows});
  parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const R* in = x.value().data() + r * n;
      const R m = shift_of(in, n);
      shift.data()[r] = m;
      log_sum.data()[r] = std::log(pack_sum<R>(0, n, [&](auto at) { return math::exp(at.load(in) - m); }));
      y.data()[r] = m + log_sum.data()[r];
    }
  });
  return record(
      logsumexp_op, y,
      [x = x.value(), shift, log_sum, n, rows, dx = sink(x)](const Tensor<R>& dy) {
        dx.accumulate([&](R* out, bool add) {
          parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
              const R m = shift.data()[r], log_total = log_sum.data()[r], g = dy.data()[r];
              const R* in = x.data() + r * n;
              R* dx_row = out + r * n;
              const bool empty = log_total == -std::numeric_limits<R>::infinity();
              for_packs<R>(0, n, [&](auto at) {
                const Pack<R> d = empty ? Pack<R>(0) : math::exp(at.load(in) - m - log_total) * g;
                at.put(dx_row, d, add);
              });
            }
          });
        });
      },
      [&](const auto&) { return sum(softmax(x) * tangent(x), -1, keepdim); }, x);
}

// ------------------------------------------------------------------------------------------------ softmax

static const Op softmax_op(
    {.name = "softmax",
     .kind = Kind::Real,
     .equation = "y_i = e^{x_i - m} / Σ_j e^{x_j - m}, m = max x",
     .dz = "∂y_i/∂x_j = y_i (δ_ij - y_j)",
     .dzbar = "no complex input",
     .vjp = "dx_j = y_j (dy_j - Σ_i y_i dy_i)",
     .jvp = "ẏ_i = y_i (ẋ_i - Σ_j y_j ẋ_j)",
     .derivation = "log y_i = x_i - logsumexp(x), so ∂y_i/∂x_j = y_i (δ_ij - y_j); Σ_i dy_i y_i (δ_ij - y_j) is the "
                   "product above. The output is all that is kept. The Jacobian is symmetric, so the tangent is the same product.",
     .singular = "x_i = -inf: y_i = 0, gradient 0. All of them: y = 0, gradient 0",
     .source = "Bridle, Neurocomputing (1990), 227"},
    [](OpCheck& check) {
      const auto f = [](auto x) { return softmax(x); };
      check.function("row", f, check.real({5}));
      check.function("rows", f, check.real({2, 3, 4}));
      check.grows("row", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({2, n})); });
      check.grows("rows", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n, 3})); });
      check.finite("large", f, Tensor<double>({2, 2}, {1e30, -1e30, -1000, -1001}));
      check.singular("nothing but masked entries", f, Tensor<double>({2}, {-infinity, -infinity}), Tensor<double>({2}, {0, 0}));
    });

template <RealScalar R>
Var<R> softmax(const Var<R>& x) {
  const std::int64_t n = x.shape().back(), rows = x.shape().rows();
  Tensor<R> y(x.shape());
  parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const R* in = x.value().data() + r * n;
      R* __restrict out = y.data() + r * n;
      const R m = shift_of(in, n);
      const R total = pack_sum<R>(0, n, [&](auto at) {
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
      [y, n, rows, dx = sink(x)](const Tensor<R>& dy) {
        dx.accumulate([&](R* out, bool add) {
          parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
              const R *p = y.data() + r * n, *g = dy.data() + r * n;
              R* dx_row = out + r * n;
              const R mean = pack_sum<R>(0, n, [&](auto at) { return at.load(p) * at.load(g); });
              for_packs<R>(0, n, [&](auto at) {
                const Pack<R> d = at.load(p) * (at.load(g) - mean);
                at.put(dx_row, d, add);
              });
            }
          });
        });
      },
      [&](const Var<R>& y) { return y * (tangent(x) - sum(y * tangent(x), -1, true)); }, x);
}

// ------------------------------------------------------------------------------------------------ log_softmax

static const Op log_softmax_op({.name = "log_softmax",
                                .kind = Kind::Real,
                                .equation = "y_i = (x_i - m) - log Σ_j e^{x_j - m}, m = max x",
                                .dz = "∂y_i/∂x_j = δ_ij - p_j, p_j = e^{y_j}",
                                .dzbar = "no complex input",
                                .vjp = "dx_j = dy_j - p_j Σ_i dy_i",
                                .jvp = "ẏ_i = ẋ_i - Σ_j p_j ẋ_j",
                                .derivation = "∂/∂x_j of log Σ e^{x_j} is p_j = softmax(x)_j. The output is all that is kept.",
                                .singular = "x_i = -inf: y_i = -inf and p_i = 0; all of them: y = -inf, p = 0",
                                .source = "Blanchard, Higham, Higham, IMA J. Numer. Anal. 41 (2021), eq. 1.2"},
                               [](OpCheck& check) {
                                 const auto f = [](auto x) { return log_softmax(x); };
                                 check.function("row", f, check.real({5}));
                                 check.function("rows", f, check.real({2, 3, 4}));
                                 check.grows("row", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({2, n})); });
                                 check.grows("rows", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n, 3})); });
                                 check.finite("large", f, Tensor<double>({2, 2}, {1e30, -1e30, -1000, -1001}));
                               });

template <RealScalar R>
Var<R> log_softmax(const Var<R>& x) {
  const std::int64_t n = x.shape().back(), rows = x.shape().rows();
  Tensor<R> y(x.shape());
  parallel_for(rows, row_grain(n), [&, to = y.data()](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const R* in = x.value().data() + r * n;
      R* __restrict out = to + r * n;
      const R m = shift_of(in, n);
      const R log_total = std::log(pack_sum<R>(0, n, [&](auto at) { return math::exp(at.load(in) - m); }));
      // A row of nothing but -inf: -inf - (-inf) would be NaN.
      const R shift = log_total == -std::numeric_limits<R>::infinity() ? R(0) : log_total;
      for_packs<R>(0, n, [&](auto at) { at.store(out, (at.load(in) - m) - shift); });
    }
  });
  return record(
      log_softmax_op, y,
      [y, n, rows, dx = sink(x)](const Tensor<R>& dy) {
        dx.accumulate([&](R* out, bool add) {
          parallel_for(rows, row_grain(n), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
              const R *in = y.data() + r * n, *g = dy.data() + r * n;
              R* dx_row = out + r * n;
              const R total = pack_sum<R>(0, n, [&](auto at) { return at.load(g); });
              for_packs<R>(0, n, [&](auto at) {
                const Pack<R> d = at.load(g) - math::exp(at.load(in)) * total;
                at.put(dx_row, d, add);
              });
            }
          });
        });
      },
      [&](const auto&) { return tangent(x) - sum(softmax(x) * tangent(x), -1, true); }, x);
}

#define ARGAND_SOFTMAX(R)                         \
  template Var<R> logsumexp(const Var<R>&, bool); \
  template Var<R> softmax(const Var<R>&);         \
  template Var<R> log_softmax(const Var<R>&);
ARGAND_FOR_REAL(ARGAND_SOFTMAX)

}  // namespace argand
