#include "autograd/ops/scans/scan.h"

#include <cmath>
#include <limits>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/selection/where.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// Calls f(i, before) for the elements along the axis in order (or from the end): `before` is the element visited before i on its
/// line, -1 for the first. Lines are independent and shared among threads.
template <class F>
void along_lines(const AxisView& view, bool from_the_end, const F& f) {
  parallel_for(view.outer * view.inner, row_grain(view.n), [&](std::int64_t begin, std::int64_t end) {
    // Several lines are walked side by side, since each step on a line waits for the one before it: cumsum along rows of 1000
    // floats takes 0.3 of the time that it takes one row after the other.
    const std::int64_t most = view.inner > 1 ? view.inner : 4, apart = view.inner > 1 ? 1 : view.n;
    while (begin < end) {
      const std::int64_t o = begin / view.inner, first = begin % view.inner, lines = std::min(most - first, end - begin);
      const std::int64_t step = from_the_end ? -view.inner : view.inner;
      std::int64_t at = (o * view.n + (from_the_end ? view.n - 1 : 0)) * view.inner + first;
      for (std::int64_t k = 0; k < view.n; ++k, at += step)
        for (std::int64_t l = 0; l < lines; ++l) f(at + l * apart, k > 0 ? at + l * apart - step : -1);
      begin += lines;
    }
  });
}

template <Scalar T>
Tensor<T> running_sum(const Tensor<T>& x, const AxisView& view, bool from_the_end) {
  Tensor<T> y(x.shape());
  along_lines(view, from_the_end, [in = x.data(), out = y.data()](std::int64_t i, std::int64_t before) {
    out[i] = before < 0 ? in[i] : out[before] + in[i];
  });
  return y;
}

/// Checks a scan along the first, a middle and the last axis.
template <class F>
void scans(OpCheck& check, const F& f, double low, double high) {
  check.function(
      "first axis, real", [f](auto x) { return f(x, 0); }, check.real({4, 3}, low, high));
  check.function(
      "middle axis, complex", [f](auto x) { return f(x, 1); }, check.complex({2, 3, 2}));
  check.function(
      "last axis, complex", [f](auto x) { return f(x, -1); }, check.complex({2, 5}));
  check.sizes("lines", [=](OpCheck& at, std::int64_t n) {
    const auto first = [f](auto x) { return f(x, 0); };
    const auto last = [f](auto x) { return f(x, -1); };
    at.function("first axis, real", first, at.real({3, n}, low, high));
    at.function("first axis, complex", first, at.complex({3, n}));
    at.function("last axis, real", last, at.real({n, 3}, low, high));
    at.function("last axis, complex", last, at.complex({n, 3}));
  });
}

}  // namespace

// ------------------------------------------------------------------------------------------------ cumsum

static const Op cumsum_op({.name = "cumsum",
                           .kind = Kind::Holomorphic,
                           .equation = "y_k = Σ_{i <= k} x_i",
                           .dz = "∂y_k/∂x_i = 1 if i <= k, else 0",
                           .dzbar = "0",
                           .vjp = "dx_i = Σ_{k >= i} dy_k",
                           .jvp = "ẏ_k = Σ_{i <= k} ẋ_i",
                           .derivation = "A product with a lower triangular matrix of ones, whose transpose is upper triangular: "
                                         "the running sum from the other end.",
                           .singular = "none",
                           .source = "definition"},
                          [](OpCheck& check) {
                            scans(
                                check, [](auto x, int axis) { return cumsum(x, axis); }, -2, 2);
                            check.sizes("", [](OpCheck& at, std::int64_t n) {
                              at.function(
                                  "long", [](auto x) { return cumsum(x, 0); }, at.real({n, 2}));
                            });
                          });

template <Scalar T>
Var<T> cumsum(const Var<T>& x, int axis) {
  require_axis("cumsum", x.shape(), axis);
  const AxisView view(x.shape(), axis);
  return record(
      cumsum_op, running_sum(x.value(), view, false),
      [view, dx = accumulator(x)](const Tensor<T>& dy) {
        if (dx) dx.add(running_sum(dy, view, true));
      },
      [&](const auto&) { return cumsum(tangent(x), axis); }, x);
}

// ------------------------------------------------------------------------------------------------ linear_recurrence

static const Op linear_recurrence_op(
    {.name = "linear_recurrence",
     .kind = Kind::Holomorphic,
     .equation = "s_k = a_k s_{k-1} + b_k, s_0 = b_0",
     .dz = "∂s_k/∂b_i = a_{i+1} ... a_k, ∂s_k/∂a_i = s_{i-1} a_{i+1} ... a_k for 0 < i <= k, else 0",
     .dzbar = "0",
     .vjp = "db_k = g_k, da_k = conj(s_{k-1}) g_k, g_k = ds_k + conj(a_{k+1}) g_{k+1} from the end",
     .jvp = "ṡ_k = a_k ṡ_{k-1} + (ȧ_k s_{k-1} + ḃ_k)",
     .derivation = "g_k is the total gradient of s_k: ds_k directly, plus conj(a_{k+1}) g_{k+1} through s_{k+1} = a_{k+1} s_k + "
                   "b_{k+1}. b_k enters s_k with factor 1, a_k with factor s_{k-1}. The tangent obeys the same recurrence with a "
                   "different b: the op is closed under differentiation.",
     .singular = "none. For |a| > 1, s grows geometrically",
     .source = "Martin & Cundy, ICLR 2018, eq. 1 and 8"},
    [](OpCheck& check) {
      const auto f = [](int axis) { return [axis](auto a, auto b) { return linear_recurrence(a, b, axis); }; };
      check.function("real", f(0), check.real({4, 3}), check.real({4, 3}));
      check.function("complex, middle axis", f(1), check.complex({2, 3, 2}), check.complex({2, 3, 2}));
      check.function("complex, last axis", f(-1), check.complex({2, 5}), check.complex({2, 5}));
      // The long recurrence comes first: with only three steps, a third of a would be the unused a_0, whose gradient is 0.
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        at.function("long", f(0), at.real({n, 2}, 0.999, 1.001), at.real({n, 2}));
      });
      check.sizes("lines", [f](OpCheck& at, std::int64_t n) {
        at.function("real", f(0), at.real({3, n}), at.real({3, n}));
        at.function("complex", f(0), at.complex({3, n}), at.complex({3, n}));
        at.function("complex, last axis", f(-1), at.complex({n, 3}), at.complex({n, 3}));
      });
    });

template <Scalar T>
Var<T> linear_recurrence(const Var<T>& a, const Var<T>& b, int axis) {
  require_axis("linear_recurrence", a.shape(), axis);
  require(a.shape() == b.shape(), "linear_recurrence", "a and b must have the same shape, got {} and {}", a.shape(), b.shape());
  const AxisView view(a.shape(), axis);
  Tensor<T> s(a.shape());
  along_lines(view, false, [out = s.data(), pa = a.value().data(), pb = b.value().data()](std::int64_t i, std::int64_t before) {
    out[i] = before < 0 ? pb[i] : mul(pa[i], out[before]) + pb[i];
  });
  return record(
      linear_recurrence_op, s,
      [s, view, av = a.value(), da = accumulator(a), db = accumulator(b)](const Tensor<T>& ds) {
        Tensor<T> g(ds.shape());
        along_lines(view, true, [out = g.data(), in = ds.data(), pa = av.data()](std::int64_t i, std::int64_t before) {
          out[i] = before < 0 ? in[i] : in[i] + conj_mul(pa[before], out[before]);
        });
        if (da) {
          Tensor<T> d(ds.shape());
          along_lines(view, false,
                      [out = d.data(), pg = std::as_const(g).data(), ps = s.data()](std::int64_t i, std::int64_t before) {
                        out[i] = before < 0 ? T(0) : conj_mul(ps[before], pg[i]);
                      });
          da.add(std::move(d));
        }
        if (db) db.add(std::move(g));
      },
      [&](const Var<T>& s) {
        const std::int64_t n = view.n;
        if (n == 0) return tangent(b);
        const Var<T> none(Tensor<T>::zeros(slice(b, axis, 0, 1).shape()));
        const Var<T> before = concatenate(std::vector{none, slice(s, axis, 0, n - 1)}, axis);
        return linear_recurrence(a, before * tangent(a) + tangent(b), axis);
      },
      a, b);
}

// ------------------------------------------------------------------------------------------------ cumprod

static const Op cumprod_op(
    {.name = "cumprod",
     .kind = Kind::Holomorphic,
     .equation = "y_k = Π_{i <= k} x_i",
     .dz = "∂y_k/∂x_i = Π_{j <= k, j ≠ i} x_j if i <= k, else 0",
     .dzbar = "0",
     .vjp = "dx_i = conj(y_{i-1}) g_i, g_i = dy_i + conj(x_{i+1}) g_{i+1} from the end, y_{-1} = 1",
     .jvp = "ẏ_k = x_k ẏ_{k-1} + y_{k-1} ẋ_k",
     .derivation = "Split the product at i: ∂y_k/∂x_i = y_{i-1} · x_{i+1} ... x_k. Summed over k, the factors after i nest as in "
                   "Horner's rule, which gives g. Nothing is divided by x_i, so zeros need no special case: if x_i is the only "
                   "zero, dx_i is complete; if there is another, the products that contain it vanish.",
     .singular = "a partial product that underflows or overflows stays 0 or ±inf even if later factors would bring it back into "
                 "range, and inf times 0 is NaN: where that can happen, use exp of cumsum of the logarithms",
     .source = "definition"},
    [](OpCheck& check) {
      const auto f = [](auto x, int axis) { return cumprod(x, axis); };
      scans(check, f, -2, 2);
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        at.function(
            "long", [f](auto x) { return f(x, 0); }, at.real({n, 2}, 0.999, 1.001));
      });
    });

namespace {
/// [1; y_0; ...; y_{n-2}] along the axis, as an expression of ops.
template <Scalar T>
Var<T> shifted_after_one(const Var<T>& y, int axis) {
  const Var<T> one(Tensor<T>::ones(slice(y, axis, 0, 1).shape()));
  return concatenate(std::vector{one, slice(y, axis, 0, y.dim(axis) - 1)}, axis);
}
}  // namespace

template <Scalar T>
Var<T> cumprod(const Var<T>& x, int axis) {
  require_axis("cumprod", x.shape(), axis);
  const AxisView view(x.shape(), axis);
  Tensor<T> y(x.shape());
  along_lines(view, false, [in = x.value().data(), out = y.data()](std::int64_t i, std::int64_t before) {
    out[i] = before < 0 ? in[i] : mul(out[before], in[i]);
  });
  return record(
      cumprod_op, y,
      [y, view, xv = x.value(), dx = accumulator(x)](const Tensor<T>& dy) {
        if (!dx) return;
        Tensor<T> g(dy.shape());
        along_lines(view, true, [out = g.data(), in = dy.data(), px = xv.data()](std::int64_t i, std::int64_t before) {
          out[i] = before < 0 ? in[i] : in[i] + conj_mul(px[before], out[before]);
        });
        along_lines(view, false, [out = g.data(), py = y.data()](std::int64_t i, std::int64_t before) {
          if (before >= 0) out[i] = conj_mul(py[before], out[i]);
        });
        dx.add(std::move(g));
      },
      [&](const Var<T>& y) {
        return view.n == 0 ? tangent(x) : linear_recurrence(x, shifted_after_one(y, axis) * tangent(x), axis);
      },
      x);
}

// ------------------------------------------------------------------------------------------------ prod

template <Scalar T>
Var<T> prod(const Var<T>& x, int axis, bool keepdim) {
  require_axis("prod", x.shape(), axis);
  const std::int64_t n = x.dim(axis);
  const Shape shape = reduced(x.shape(), axis, keepdim);
  if (n == 0) {  // concatenated with a single 1, so that the tape records x
    Shape one = x.shape();
    one[axis] = 1;
    return reshape(concatenate(std::vector{Var<T>(Tensor<T>::ones(one)), x}, axis), shape);
  }
  return reshape(slice(cumprod(x, axis), axis, n - 1, n), shape);
}
template <Scalar T>
Var<T> prod(const Var<T>& x) {
  return prod(reshape(x, Shape{x.size()}), 0);
}

// ------------------------------------------------------------------------------------------------ logcumsumexp

static const Op logcumsumexp_op(
    {.name = "logcumsumexp",
     .kind = Kind::Real,
     .equation = "y_k = log Σ_{i <= k} e^{x_i}",
     .dz = "∂y_k/∂x_i = e^{x_i - y_k} if i <= k, else 0",
     .dzbar = "no complex input",
     .vjp = "dx_i = p_i g_i, g_i = dy_i + q_{i+1} g_{i+1} from the end; p_i = e^{x_i - y_i}, q_i = e^{y_{i-1} - y_i}",
     .jvp = "ẏ_k = q_k ẏ_{k-1} + p_k ẋ_k",
     .derivation = "e^{y_k} = e^{y_{k-1}} + e^{x_k} gives e^{y_k} ẏ_k = e^{y_{k-1}} ẏ_{k-1} + e^{x_k} ẋ_k: a linear recurrence "
                   "with factors p + q = 1, whose adjoint runs from the end. Nothing overflows: all exponentials are of x - m, "
                   "with m the largest x so far. That largest term itself is left out of the sum, as in log(1 + the others).",
     .singular = "x_i = -inf: contributes nothing, gradient 0; y = -inf until the first x_i > -inf. x_i = +inf: y = +inf from "
                 "there on, and the infinite x_i share the gradient as if they were equal",
     .source = "Blanchard, Higham, Higham, IMA J. Numer. Anal. 41 (2021), eq. 1.1"},
    [](OpCheck& check) {
      const auto f = [](int axis) { return [axis](auto x) { return logcumsumexp(x, axis); }; };
      check.function("first axis", f(0), check.real({4, 3}));
      check.function("middle axis", f(1), check.real({2, 3, 2}));
      check.function("last axis", f(-1), check.real({2, 5}));
      check.sizes("lines", [f](OpCheck& at, std::int64_t n) {
        at.function("first axis", f(0), at.real({3, n}));
        at.function("last axis", f(-1), at.real({n, 3}));
      });
      check.sizes("", [f](OpCheck& at, std::int64_t n) { at.function("long", f(0), at.real({n, 2})); });
      check.finite("huge", f(0), Tensor<double>({4}, {-1e30, 3, 1e30, -1000}));
    });

template <RealScalar R>
Var<R> logcumsumexp(const Var<R>& x, int axis) {
  require_axis("logcumsumexp", x.shape(), axis);
  const AxisView view(x.shape(), axis);
  const R infinity = std::numeric_limits<R>::infinity();
  Tensor<R> y(x.shape()), p(x.shape()), q(x.shape());
  // e^{y_i} = e^top (1 + others), top the largest so far.
  Tensor<R> top(x.shape());
  Tensor<double> others(x.shape());
  along_lines(view, false,
              [=, in = x.value().data(), out = y.data(), m = top.data(), s = others.data(), to_p = p.data(), to_q = q.data()](
                  std::int64_t i, std::int64_t before) {
                const R v = in[i];
                if (before < 0 || m[before] == -infinity) {  // only -inf so far
                  m[i] = v, s[i] = 0, out[i] = v;
                  to_p[i] = v == -infinity ? R(0) : std::isnan(v) ? v : R(1);
                  to_q[i] = std::isnan(v) ? v : R(0);
                  return;
                }
                const auto relative = [](R a, R b) {
                  return a == b ? 1.0 : std::exp(static_cast<double>(a) - static_cast<double>(b));
                };
                m[i] = v > m[before] || std::isnan(v) ? v : m[before];
                const double of_before = relative(m[before], m[i]), of_x = relative(v, m[i]);
                const bool larger = v > m[before];
                s[i] = larger ? of_before * (1 + s[before]) : s[before] + of_x;
                const double total = 1 + s[i];
                out[i] = m[i] + static_cast<R>(std::log1p(s[i]));
                to_p[i] = static_cast<R>(of_x / total);
                to_q[i] = static_cast<R>(of_before * (1 + s[before]) / total);
              });
  return record(
      logcumsumexp_op, y,
      [view, p, q, dx = accumulator(x)](const Tensor<R>& dy) {
        if (!dx) return;
        Tensor<R> g(dy.shape()), d(dy.shape());
        along_lines(
            view, true,
            [out = g.data(), to = d.data(), in = dy.data(), pp = p.data(), pq = q.data()](std::int64_t i, std::int64_t before) {
              out[i] = before < 0 ? in[i] : in[i] + pq[before] * out[before];
              to[i] = pp[i] * out[i];
            });
        dx.add(std::move(d));
      },
      [&](const Var<R>& y) {
        const std::int64_t n = view.n;
        if (n == 0) return tangent(x);
        // Uses the formula where everything is finite; infinite values have no tangent.
        const Mask finite = lt(map([](R v) { return std::abs(v); }, y.value()), Tensor<R>::full(Shape{}, infinity));
        const Var<R> zero = number<R>(0), sums = where(finite, y, zero);
        const Var<R> first(Tensor<R>::full(slice(y, axis, 0, 1).shape(), -infinity));
        const Var<R> y_before = concatenate(std::vector{first, slice(y, axis, 0, n - 1)}, axis);
        const Var<R> share = where(finite, exp(where(finite, x, zero) - sums), constant(p));
        const Var<R> kept = where(finite, exp(where(finite, y_before, zero) - sums), constant(q));
        return linear_recurrence(kept, share * tangent(x), axis);
      },
      x);
}

#define ARGAND_SCAN(T)                            \
  template Var<T> cumsum(const Var<T>&, int);     \
  template Var<T> cumprod(const Var<T>&, int);    \
  template Var<T> prod(const Var<T>&, int, bool); \
  template Var<T> prod(const Var<T>&);            \
  template Var<T> linear_recurrence(const Var<T>&, const Var<T>&, int);
ARGAND_FOR_SCALAR(ARGAND_SCAN)
template Var<float> logcumsumexp(const Var<float>&, int);
template Var<double> logcumsumexp(const Var<double>&, int);

}  // namespace argand
