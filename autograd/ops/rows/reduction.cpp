#include "autograd/ops/rows/reduction.h"

#include <algorithm>
#include <cmath>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/rows/scalar_product.h"
#include "autograd/ops/rows/sum_axis.h"
#include "autograd/ops/shape.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// Checks f(x) and f(x, axis), varying the length of the summed axis or of the other axis.
template <class F>
void sizes_along_axes(OpCheck& check, const F& f) {
  check.sizes("", [f](OpCheck& at, std::int64_t n) {
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

/// Views the whole tensor as one axis.
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
                        .derivation = "Linear; a change in one term changes the sum by the same amount.",
                        .singular = "none. ±inf: y is infinite, or NaN if both signs occur; the gradient is not affected",
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
                         sizes_along_axes(check, [](auto x, auto... axis) { return sum(x, axis...); });
                       });

namespace {
template <Scalar T>
bool all_finite(const Tensor<T>& x) {
  return std::all_of(x.begin(), x.end(), [](T v) { return std::isfinite(std::real(v)) && std::isfinite(std::imag(v)); });
}
/// The largest power of two not above c, 0 < c < 1.
template <RealScalar R>
R power_below(R c) {
  return std::exp2(std::floor(std::log2(c)));
}

/// Sum over the view's axis, times c (1, or 1/n for the mean).
template <Scalar T>
Var<T> scaled_sum(const Op& op, const Var<T>& x, const AxisView& view, const Shape& shape, RealOf<T> c) {
  using R = RealOf<T>;
  Tensor<T> y(shape);
  sum_axis<T>(x.value().data(), view, y.data(), [](auto v, std::int64_t) { return v; });
  if (c != 1) {
    for (T& v : y.span()) v = mul(v, c);
    if (!all_finite(y)) {  // the sum may overflow even if the mean does not
      const R down = power_below(c);
      sum_axis<T>(x.value().data(), view, y.data(), [down](auto v, std::int64_t) { return v * down; });
      for (T& v : y.span()) v = mul(v, c / down);
    }
  }
  return record(
      op, std::move(y), [view, c, dx = accumulator(x)](const Tensor<T>& dy) { spread(dx, view, dy.data(), c); },
      [&](const auto&) { return scaled_sum(op, tangent(x), view, shape, c); }, x);
}
}  // namespace

template <Scalar T>
Var<T> sum(const Var<T>& x) {
  return scaled_sum(sum_op, x, whole(x.shape()), Shape{}, RealOf<T>(1));
}
template <Scalar T>
Var<T> sum(const Var<T>& x, int axis, bool keepdim) {
  require_axis("sum", x.shape(), axis);
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
                         .singular = "none. The mean is finite even where the sum overflows. ±inf: y is infinite, or NaN if both "
                                     "signs occur; the gradient is not affected",
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
                          sizes_along_axes(check, [](auto x, auto... axis) { return mean(x, axis...); });
                        });

template <Scalar T>
Var<T> mean(const Var<T>& x) {
  require(x.size() > 0, "mean", "cannot average an empty tensor of shape {}", x.shape());
  return scaled_sum(mean_op, x, whole(x.shape()), Shape{}, 1 / static_cast<RealOf<T>>(x.size()));
}
template <Scalar T>
Var<T> mean(const Var<T>& x, int axis, bool keepdim) {
  require_axis("mean", x.shape(), axis);
  require(x.dim(axis) > 0, "mean", "axis {} of {} is empty", axis, x.shape());
  return scaled_sum(mean_op, x, AxisView(x.shape(), axis), reduced(x.shape(), axis, keepdim),
                    1 / static_cast<RealOf<T>>(x.dim(axis)));
}

// ------------------------------------------------------------------------------------------------ variance

namespace {

/// The deviations x - μ from the mean. The mean of large values may be rounded by more than they differ, so it is stored as two
/// numbers: μ = mu + rest, with rest the mean of x - mu.
template <Scalar T>
struct Deviations {
  using R = RealOf<T>;
  AxisView view;
  Tensor<T> x, mu, rest;
  R down;  ///< power of two by which x is multiplied first

  Deviations(const Tensor<T>& values, const AxisView& along, const Shape& shape, R factor = 1)
      : view(along), x(values), mu(shape), rest(shape), down(factor) {
    const R n = static_cast<R>(view.n);
    sum_axis<T>(x.data(), view, mu.data(), [this](T v, std::int64_t) { return mul(v, down); });
    for (T& m : mu.span()) m /= n;
    sum_axis<T>(x.data(), view, rest.data(), [this, m = mu.data()](T v, std::int64_t place) { return mul(v, down) - m[place]; });
    for (T& r : rest.span()) r /= n;
  }
  T operator()(T v, std::int64_t place) const { return (mul(v, down) - mu.data()[place]) - rest.data()[place]; }
};

/// Checks f(x) and f(x, axis, keepdim) on real and complex numbers, some of them far from 0.
template <class F>
void check_spread(OpCheck& check, const F& f) {
  const auto all = [f](auto x) { return f(x); };
  check.function("all, real", all, check.real({3, 4}));
  check.function("all, complex", all, check.complex({3, 4}));
  check.function(
      "first axis", [f](auto x) { return f(x, 0); }, check.complex({3, 4}));
  check.function(
      "last axis, kept", [f](auto x) { return f(x, -1, true); }, check.real({2, 3, 4}));
  check.function("far from 0", all, Tensor<double>({4}, {1048576, 1048576.5, 1048577.75, 1048574.25}));
  sizes_along_axes(check, f);
  check.singular("one number", all, Tensor<double>({1}, {3}), Tensor<double>({1}, {0}));
  check.singular("equal numbers", all, Tensor<double>::full({49}, 0.1f), Tensor<double>::zeros({49}));
}

}  // namespace

static const Op variance_op(
    {.name = "variance",
     .kind = Kind::RealValued,
     .equation = "v = 1/n Σ |x_i - μ|², μ = 1/n Σ x_i",
     .dz = "∂v/∂x_i = conj(x_i - μ)/n",
     .dzbar = "(x_i - μ)/n",
     .vjp = "dx_i = 2 (x_i - μ)/n dv",
     .jvp = "v̇ = 2/n Σ Re(conj(x_i - μ) ẋ_i)",
     .derivation =
         "∂|x_j - μ|²/∂x̄_i = (x_j - μ)(δ_ij - 1/n). Summed over j the part with 1/n vanishes, since Σ (x_j - μ) = 0: the mean need "
         "not be differentiated. The gradient is twice ∂v/∂x̄_i, as v is real, and v̇ = 2 Re Σ (∂v/∂x_i) ẋ_i. The rounded mean m is "
         "corrected by the mean of the x_i - m, so data far from 0 keep their digits and the gradient sums to 0.",
     .singular = "none. An x_i = ±inf makes v and its gradient NaN",
     .source = "definition; Chan, Golub, LeVeque, The American Statistician 37 (1983), eq. 1.7"},
    [](OpCheck& check) { check_spread(check, [](auto x, auto... axis) { return variance(x, axis...); }); });

namespace {
template <Scalar T>
Var<RealOf<T>> variance_over(const Var<T>& x, const AxisView& view, const Shape& shape) {
  using R = RealOf<T>;
  const R c = 1 / static_cast<R>(view.n);
  const Deviations<T> from_mean(x.value(), view, shape);
  Tensor<R> y(shape);
  sum_axis<R>(x.value().data(), view, y.data(), [&](T v, std::int64_t place) { return abs2_of(from_mean(v, place)); });
  for (R& v : y.span()) v *= c;
  return record(
      variance_op, std::move(y),
      [from_mean, c, dx = accumulator(x)](const Tensor<R>& dv) {
        spread_axis(dx, from_mean.view, [&](std::int64_t i, std::int64_t place) {
          return mul(from_mean(from_mean.x.data()[i], place), 2 * c * dv.data()[place]);
        });
      },
      [&](const auto&) {
        const Shape three{view.outer, view.n, view.inner};
        const Var<R> products = scalar_product(centred(reshape(x, three), 1), reshape(tangent(x), three));
        return reshape(R(2) * mean(products, 1), shape);
      },
      x);
}
}  // namespace

template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x) {
  require(x.size() > 0, "variance", "cannot average an empty tensor of shape {}", x.shape());
  return variance_over(x, whole(x.shape()), Shape{});
}
template <Scalar T>
Var<RealOf<T>> variance(const Var<T>& x, int axis, bool keepdim) {
  require_axis("variance", x.shape(), axis);
  require(x.dim(axis) > 0, "variance", "axis {} of {} is empty", axis, x.shape());
  return variance_over(x, AxisView(x.shape(), axis), reduced(x.shape(), axis, keepdim));
}

// ------------------------------------------------------------------------------------------------ stddev

static const Op stddev_op(
    {.name = "stddev",
     .kind = Kind::RealValued,
     .equation = "σ = √(1/n Σ |x_i - μ|²), μ = 1/n Σ x_i",
     .dz = "∂σ/∂x_i = conj(x_i - μ)/(2nσ)",
     .dzbar = "(x_i - μ)/(2nσ)",
     .vjp = "dx_i = (x_i - μ)/(nσ) dσ",
     .jvp = "σ̇ = 1/n Σ Re(conj(x_i - μ) ẋ_i)/σ",
     .derivation = "σ² = v gives 2 σ σ̇ = v̇: the derivatives of the variance, divided by 2σ. For the value, all |x_i - μ| are first "
                   "divided by the largest, so no square overflows; |x_i - μ|/σ is at most √n.",
     .singular = "σ = 0: a kink, the gradient returned is 0. An x_i = ±inf makes σ and its gradient NaN",
     .source = "definition"},
    [](OpCheck& check) {
      check_spread(check, [](auto x, auto... axis) { return stddev(x, axis...); });
      const auto f = [](auto x) { return stddev(x); };
      check.finite("huge", f, Tensor<double>({4}, {3e38, -3e38, -3e38, 1}));
      check.finite("tiny", f, Tensor<std::complex<double>>({3}, {{1e-40, 0}, {0, -1e-38}, {1e-39, 1e-39}}));
    });

namespace {

/// √(1/n Σ |d_i|²) for each line.
template <Scalar T>
Tensor<RealOf<T>> root_mean_square(const Deviations<T>& d, const Shape& shape) {
  using R = RealOf<T>;
  const AxisView view = d.view;
  Tensor<R> y(shape);
  parallel_for(y.size(), row_grain(view.n), [&, out = y.data(), in = d.x.data()](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin; place < end; ++place) {
      const T* const line = in + place / view.inner * view.n * view.inner + place % view.inner;
      const auto size = [&](std::int64_t i) { return modulus(d(line[i * view.inner], place)); };
      R largest = 0;
      for (std::int64_t i = 0; i < view.n; ++i)
        if (const R a = size(i); !(a <= largest))
          largest = a;  // skips or keeps a NaN; the sum of squares propagates it in any case
      const R total = largest == 0 ? R(0) : lane_sum<R>(view.n, [&](std::int64_t i) {
        const R a = size(i) / largest;
        return a * a;
      });
      out[place] = largest * std::sqrt(total / static_cast<R>(view.n)) / d.down;
    }
  });
  return y;
}

template <Scalar T>
Var<RealOf<T>> stddev_over(const Var<T>& x, const AxisView& view, const Shape& shape) {
  using R = RealOf<T>;
  Deviations<T> from_mean(x.value(), view, shape);
  Tensor<R> y = root_mean_square(from_mean, shape);
  if (!all_finite(y)) {  // the sum of x, or a difference from μ, may overflow
    from_mean = Deviations<T>(x.value(), view, shape, power_below(R(0.5) / static_cast<R>(view.n)));
    y = root_mean_square(from_mean, shape);
  }
  return record(
      stddev_op, y,
      [from_mean, y, dx = accumulator(x)](const Tensor<R>& dy) {
        const R n = static_cast<R>(from_mean.view.n);
        spread_axis(dx, from_mean.view, [&](std::int64_t i, std::int64_t place) {
          const R sigma = y.data()[place] * from_mean.down;
          return sigma == 0 ? T(0) : mul(from_mean(from_mean.x.data()[i], place) / sigma, dy.data()[place] / n);
        });
      },
      [&](const Var<R>& y) {
        const Shape three{view.outer, view.n, view.inner};
        const AwayFromZero<R> sigma(reshape(y, Shape{view.outer, 1, view.inner}));
        const Var<T> normal = centred(reshape(x, three), 1) / sigma.value * sigma.mask;
        return reshape(mean(scalar_product(normal, reshape(tangent(x), three)), 1), shape);
      },
      x);
}
}  // namespace

template <Scalar T>
Var<RealOf<T>> stddev(const Var<T>& x) {
  require(x.size() > 0, "stddev", "cannot average an empty tensor of shape {}", x.shape());
  return stddev_over(x, whole(x.shape()), Shape{});
}
template <Scalar T>
Var<RealOf<T>> stddev(const Var<T>& x, int axis, bool keepdim) {
  require_axis("stddev", x.shape(), axis);
  require(x.dim(axis) > 0, "stddev", "axis {} of {} is empty", axis, x.shape());
  return stddev_over(x, AxisView(x.shape(), axis), reduced(x.shape(), axis, keepdim));
}

#define ARGAND_SUMS(T)                                        \
  template Var<T> sum(const Var<T>&);                         \
  template Var<T> sum(const Var<T>&, int, bool);              \
  template Var<T> mean(const Var<T>&);                        \
  template Var<T> mean(const Var<T>&, int, bool);             \
  template Var<RealOf<T>> variance(const Var<T>&);            \
  template Var<RealOf<T>> variance(const Var<T>&, int, bool); \
  template Var<RealOf<T>> stddev(const Var<T>&);              \
  template Var<RealOf<T>> stddev(const Var<T>&, int, bool);
ARGAND_FOR_SCALAR(ARGAND_SUMS)

}  // namespace argand
