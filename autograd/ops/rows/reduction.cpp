#include "autograd/ops/rows/reduction.h"

#include <cmath>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/rows/scalar_product.h"
#include "autograd/ops/shape.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// Σ term(x) over the axis in the middle of [outer, n, inner], result [outer, inner]. `term(value, place)`, place in [0,
/// outer·inner).
template <Scalar Out, Scalar T, class F>
void sum_axis(const T* x, const AxisView& view, Out* __restrict y, const F& term) {
  const auto [outer, n, inner] = view;
  if (outer == 1 && inner == 1) {
    y[0] = block_sum<Out>(n, [&](std::int64_t i) { return term(x[i], 0); });
    return;
  }
  if (inner == 1) {
    parallel_for(outer, row_grain(n), [&, n = n](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) y[o] = lane_sum<Out>(n, [&](std::int64_t i) { return term(x[o * n + i], o); });
    });
    return;
  }
  // Columns are independent: each thread walks down some of them.
  parallel_for(outer * inner, 64, [&, n = n, inner = inner](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t o = begin / inner, first = begin % inner, last = std::min(inner, first + end - begin);
      Out* row = y + o * inner;
      for (std::int64_t j = first; j < last; ++j) row[j] = Out(0);
      for (std::int64_t i = 0; i < n; ++i) {
        const T* in = x + (o * n + i) * inner;
        for (std::int64_t j = first; j < last; ++j) row[j] += term(in[j], o * inner + j);
      }
      begin += last - first;
    }
  });
}

/// The adjoint's loop: dx[i] (+)= f(i, place), where `place` is the element of the result that x[i] went into.
template <Scalar T, class F>
void spread_axis(const Sink<T>& dx, const AxisView& view, const F& f) {
  dx.accumulate([&](T* __restrict out, bool add) {
    const auto [outer, n, inner] = view;
    const auto put = [&](std::int64_t i, std::int64_t place) { out[i] = add ? out[i] + f(i, place) : f(i, place); };
    parallel_for(outer * n, row_grain(inner), [&, n = n, inner = inner](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end;) {
        const std::int64_t o = row / n, stop = std::min(end, (o + 1) * n);
        if (inner == 1)
          for (; row < stop; ++row) put(row, o);
        else
          for (; row < stop; ++row)
            for (std::int64_t j = 0; j < inner; ++j) put(row * inner + j, o * inner + j);
      }
    });
  });
}

/// f(x) and f(x, axis), with the axis that is summed over, and the one that is not, as long as wished.
template <class F>
void grows_along_axes(OpCheck& check, const F& f) {
  check.grows("", [f](OpCheck& at, std::int64_t n) {
    const auto first = [f](auto x) { return f(x, 0); };
    const auto last = [f](auto x) { return f(x, -1); };
    at.function("all, real", f, at.real({n}));
    at.function("all, complex", f, at.complex({n}));
    at.function("first axis, real", first, at.real({n, 3}));
    at.function("first axis, complex", first, at.complex({3, n}));
    at.function("last axis, real", last, at.real({3, n}));
    at.function("last axis, complex", last, at.complex({n, 3}));
  });
}

/// Everything as one axis.
AxisView whole(const Shape& shape) { return AxisView(Shape{shape.size()}, 0); }

}  // namespace

// ------------------------------------------------------------------------------------------------ sum

static const Op sum_op({.name = "sum",
                        .kind = Kind::Holomorphic,
                        .equation = "y = Σ x_i",
                        .dz = "∂y/∂x_i = 1",
                        .dzbar = "0",
                        .vjp = "dx_i = dy",
                        .jvp = "ẏ = Σ ẋ_i",
                        .derivation = "Linear; every summand moves the sum as much as itself.",
                        .singular = "none",
                        .source = "definition"},
                       [](OpCheck& check) {
                         check.function(
                             "all, real", [](auto x) { return sum(x); }, check.real({3, 4}));
                         check.function(
                             "all, complex", [](auto x) { return sum(x); }, check.complex({3, 4}));
                         check.function(
                             "first axis", [](auto x) { return sum(x, 0); }, check.complex({3, 4}));
                         check.function(
                             "middle axis, kept", [](auto x) { return sum(x, 1, true); }, check.real({2, 3, 4}));
                         check.function(
                             "last axis", [](auto x) { return sum(x, -1); }, check.real({3, 4}));
                         grows_along_axes(check, [](auto x, auto... axis) { return sum(x, axis...); });
                       });

namespace {
/// sum over the axis of the view, times c (1, or 1/n for the mean).
template <Scalar T>
Var<T> scaled_sum(const Op& op, const Var<T>& x, const AxisView& view, const Shape& shape, RealOf<T> c) {
  Tensor<T> y(shape);
  sum_axis<T>(x.value().data(), view, y.data(), [](T v, std::int64_t) { return v; });
  if (c != 1)
    for (T& v : y.span()) v = mul(v, c);
  return record(
      op, std::move(y),
      [view, c, dx = sink(x)](const Tensor<T>& dy) {
        spread_axis(dx, view, [&](std::int64_t, std::int64_t place) { return mul(dy.data()[place], c); });
      },
      [&](const auto&) { return scaled_sum(op, tangent(x), view, shape, c); }, x);
}
}  // namespace

template <Scalar T>
Var<T> sum(const Var<T>& x) {
  return scaled_sum(sum_op, x, whole(x.shape()), Shape{}, RealOf<T>(1));
}
template <Scalar T>
Var<T> sum(const Var<T>& x, int axis, bool keepdim) {
  return scaled_sum(sum_op, x, AxisView(x.shape(), axis), reduced(x.shape(), axis, keepdim), RealOf<T>(1));
}

// ------------------------------------------------------------------------------------------------ mean

static const Op mean_op({.name = "mean",
                         .kind = Kind::Holomorphic,
                         .equation = "y = 1/n Σ x_i",
                         .dz = "∂y/∂x_i = 1/n",
                         .dzbar = "0",
                         .vjp = "dx_i = dy/n",
                         .jvp = "ẏ = 1/n Σ ẋ_i",
                         .derivation = "sum, times the real constant 1/n.",
                         .singular = "none",
                         .source = "definition"},
                        [](OpCheck& check) {
                          check.function(
                              "all, real", [](auto x) { return mean(x); }, check.real({3, 4}));
                          check.function(
                              "all, complex", [](auto x) { return mean(x); }, check.complex({3, 4}));
                          check.function(
                              "first axis, kept", [](auto x) { return mean(x, 0, true); }, check.complex({3, 4}));
                          check.function(
                              "middle axis", [](auto x) { return mean(x, 1); }, check.real({2, 3, 4}));
                          grows_along_axes(check, [](auto x, auto... axis) { return mean(x, axis...); });
                        });

template <Scalar T>
Var<T> mean(const Var<T>& x) {
  require(x.size() > 0, "mean", "nothing to average in {}", x.shape());
  return scaled_sum(mean_op, x, whole(x.shape()), Shape{}, 1 / static_cast<RealOf<T>>(x.size()));
}
template <Scalar T>
Var<T> mean(const Var<T>& x, int axis, bool keepdim) {
  require(x.dim(axis) > 0, "mean", "axis {} of {} is empty", axis, x.shape());
  return scaled_sum(mean_op, x, AxisView(x.shape(), axis), reduced(x.shape(), axis, keepdim),
                    1 / static_cast<RealOf<T>>(x.dim(axis)));
}

// ------------------------------------------------------------------------------------------------ variance

static const Op variance_op(
    {.name = "variance",
     .kind = Kind::RealValued,
     .equation = "v = 1/n Σ |x_i - μ|², μ = 1/n Σ x_i",
     .dz = "∂v/∂x_i = conj(x_i - μ)/n",
     .dzbar = "(x_i - μ)/n",
     .vjp = "dx_i = 2 (x_i - μ)/n dv",
     .jvp = "v̇ = 2/n Σ Re(conj(x_i - μ) ẋ_i)",
     .derivation =
         "∂|x_j - μ|²/∂x̄_i = (x_j - μ)(δ_ij - 1/n). Summed over j the part with 1/n vanishes, since Σ (x_j - μ) = 0: the mean "
         "need not be differentiated. Twice ∂v/∂x̄_i for a real-valued v, and v̇ = 2 Re Σ (∂v/∂x_i) ẋ_i.",
     .singular = "none",
     .source = "definition"},
    [](OpCheck& check) {
      check.function(
          "all, real", [](auto x) { return variance(x); }, check.real({3, 4}));
      check.function(
          "all, complex", [](auto x) { return variance(x); }, check.complex({3, 4}));
      check.function(
          "first axis", [](auto x) { return variance(x, 0); }, check.complex({3, 4}));
      check.function(
          "last axis, kept", [](auto x) { return variance(x, -1, true); }, check.real({2, 3, 4}));
      grows_along_axes(check, [](auto x, auto... axis) { return variance(x, axis...); });
      check.finite(
          "one number", [](auto x) { return variance(x); }, Tensor<double>({1}, {3}));
    });

namespace {
template <Scalar T>
Var<RealOf<T>> variance_over(const Var<T>& x, const AxisView& view, const Shape& shape) {
  using R = RealOf<T>;
  const R c = 1 / static_cast<R>(view.n);
  Tensor<T> mu(shape);
  sum_axis<T>(x.value().data(), view, mu.data(), [](T v, std::int64_t) { return v; });
  for (T& m : mu.span()) m = mul(m, c);
  Tensor<R> y(shape);
  sum_axis<R>(x.value().data(), view, y.data(), [m = mu.data()](T v, std::int64_t place) { return abs2_of(v - m[place]); });
  for (R& v : y.span()) v *= c;
  return record(
      variance_op, std::move(y),
      [x = x.value(), mu, view, c, dx = sink(x)](const Tensor<R>& dv) {
        spread_axis(dx, view, [&](std::int64_t i, std::int64_t place) {
          return mul(x.data()[i] - mu.data()[place], 2 * c * dv.data()[place]);
        });
      },
      [&](const auto&) {
        const Shape three{view.outer, view.n, view.inner};
        const Var<T> flat = reshape(x, three);
        const Var<R> products = scalar_product(flat - mean(flat, 1, true), reshape(tangent(x), three));
        return reshape(R(2) * mean(products, 1), shape);
      },
      x);
}
}  // namespace

template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x) {
  require(x.size() > 0, "variance", "nothing to average in {}", x.shape());
  return variance_over(x, whole(x.shape()), Shape{});
}
template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x, int axis, bool keepdim) {
  require(x.dim(axis) > 0, "variance", "axis {} of {} is empty", axis, x.shape());
  return variance_over(x, AxisView(x.shape(), axis), reduced(x.shape(), axis, keepdim));
}

// ------------------------------------------------------------------------------------------------ max

static const Op max_op(
    {.name = "max",
     .kind = Kind::Real,
     .equation = "y = max_i x_i",
     .dz = "∂y/∂x_i = 1 for the largest, else 0",
     .dzbar = "no complex input",
     .vjp = "dx_k = dy for the first k with x_k = y, else 0",
     .jvp = "ẏ = ẋ_k for that k",
     .derivation = "Around a point without ties y is that x_k.",
     .singular = "ties: the first of the largest gets the whole gradient. One NaN: y is NaN and so are all dx, as "
                 "nobody knows which is the largest",
     .source = "definition"},
    [](OpCheck& check) {
      check.function(
          "last axis", [](auto x) { return max(x, -1); }, check.real({3, 4}));
      check.function(
          "first axis, kept", [](auto x) { return max(x, 0, true); }, check.real({3, 4}));
      check.grows("", [](OpCheck& at, std::int64_t n) {
        // One number in seven stands out: the differences must not come near a tie.
        const auto uneven = [&](const Shape& shape) {
          Tensor<double> x = at.real(shape);
          for (std::int64_t k = 0; k < x.size(); ++k)
            x.data()[k] = std::floor(x.data()[k]) + 5 * (k % 7 == 3) + 0.009 * static_cast<double>(k % 101);
          return x;
        };
        at.function(
            "last axis", [](auto x) { return max(x, -1); }, uneven({n, 4}));
        at.function(
            "first axis", [](auto x) { return max(x, 0); }, uneven({4, n}));
      });
      check.singular(
          "a tie", [](auto x) { return max(x, 0); }, Tensor<double>({3}, {1, 2, 2}), Tensor<double>({3}, {0, 1, 0}));
    });

template <RealScalar R>
Var<R> max(const Var<R>& x, int axis, bool keepdim) {
  require(x.dim(axis) > 0, "max", "axis {} of {} is empty", axis, x.shape());
  const AxisView view(x.shape(), axis);
  Tensor<R> y(reduced(x.shape(), axis, keepdim));
  // The element of x that each result came from; -1 where it is NaN.
  std::vector<std::int64_t> where(static_cast<std::size_t>(y.size()));
  const auto first_of = [view](std::int64_t place) { return place / view.inner * view.n * view.inner + place % view.inner; };
  parallel_for(y.size(), row_grain(view.n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin; place < end; ++place) {
      std::int64_t best = first_of(place), at = best;
      const R* in = x.value().data();
      for (std::int64_t i = 1; i < view.n; ++i) {
        at += view.inner;
        if (in[at] > in[best] || (std::isnan(in[at]) && !std::isnan(in[best]))) best = at;
      }
      y.data()[place] = in[best];
      where[static_cast<std::size_t>(place)] = std::isnan(in[best]) ? -1 : best;
    }
  });
  return record(
      max_op, std::move(y),
      [where, first_of, view, size = x.size(), dx = sink(x)](const Tensor<R>& dy) {
        dx.accumulate([&](R* out, bool add) {
          if (!add) std::fill(out, out + size, R(0));
          for (std::int64_t place = 0; place < dy.size(); ++place) {
            const std::int64_t best = where[static_cast<std::size_t>(place)];
            if (best >= 0) out[best] += dy.data()[place];
            for (std::int64_t i = 0; best < 0 && i < view.n; ++i)
              out[first_of(place) + i * view.inner] = std::numeric_limits<R>::quiet_NaN();
          }
        });
      },
      [&](const auto&) {
        Tensor<R> chosen = Tensor<R>::zeros(x.shape());
        for (std::int64_t place = 0; place < static_cast<std::int64_t>(where.size()); ++place) {
          const std::int64_t best = where[static_cast<std::size_t>(place)];
          chosen.data()[best >= 0 ? best : first_of(place)] = best >= 0 ? R(1) : std::numeric_limits<R>::quiet_NaN();
        }
        return sum(constant(std::move(chosen)) * tangent(x), axis, keepdim);
      },
      x);
}

#define ARGAND_SUMS(T)                             \
  template Var<T> sum(const Var<T>&);              \
  template Var<T> sum(const Var<T>&, int, bool);   \
  template Var<T> mean(const Var<T>&);             \
  template Var<T> mean(const Var<T>&, int, bool);  \
  template Var<RealOf<T>> variance(const Var<T>&); \
  template Var<RealOf<T>> variance(const Var<T>&, int, bool);
ARGAND_FOR_SCALAR(ARGAND_SUMS)
template Var<float> max(const Var<float>&, int, bool);
template Var<double> max(const Var<double>&, int, bool);

}  // namespace argand
