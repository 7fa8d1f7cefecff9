#include <cmath>
#include <limits>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// The cases of max and of min: f(x, axis, keepdim).
template <class F>
void check_extreme(OpCheck& check, const F& f) {
  const auto last = [f](auto x) { return f(x, -1, false); };
  const auto first = [f](auto x) { return f(x, 0, false); };
  check.function("last axis", last, check.real({3, 4}));
  check.function(
      "first axis, kept", [f](auto x) { return f(x, 0, true); }, check.real({3, 4}));
  check.grows("", [=](OpCheck& at, std::int64_t n) {
    // One number in seven stands out on either side: the differences must not come near a tie.
    const auto uneven = [&](const Shape& shape) {
      Tensor<double> x = at.real(shape);
      for (std::int64_t k = 0; k < x.size(); ++k)
        x.data()[k] = std::floor(x.data()[k]) + 5 * (k % 7 == 3) - 5 * (k % 7 == 5) + 0.009 * static_cast<double>(k % 101);
      return x;
    };
    at.function("last axis", last, uneven({n, 4}));
    at.function("first axis", first, uneven({4, n}));
  });
}

/// The element along the axis that is `better` than all others, and none that is NaN.
template <RealScalar R, class Better>
Var<R> extreme(const Op& op, const Var<R>& x, int axis, bool keepdim, const Better& better) {
  require(x.dim(axis) > 0, op.name(), "axis {} of {} is empty", axis, x.shape());
  const AxisView view(x.shape(), axis);
  Tensor<R> y(reduced(x.shape(), axis, keepdim));
  // The element of x that each result came from; -1 where it is NaN.
  std::vector<std::int64_t> where(static_cast<std::size_t>(y.size()));
  const auto first_of = [view](std::int64_t place) { return place / view.inner * view.n * view.inner + place % view.inner; };
  parallel_for(y.size(), row_grain(view.n), [&, out = y.data()](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin; place < end; ++place) {
      std::int64_t best = first_of(place), at = best;
      const R* in = x.value().data();
      for (std::int64_t i = 1; i < view.n; ++i) {
        at += view.inner;
        if (better(in[at], in[best]) || (std::isnan(in[at]) && !std::isnan(in[best]))) best = at;
      }
      out[place] = in[best];
      where[static_cast<std::size_t>(place)] = std::isnan(in[best]) ? -1 : best;
    }
  });
  return record(
      op, std::move(y),
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

}  // namespace

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
      check_extreme(check, [](auto x, int axis, bool keepdim) { return max(x, axis, keepdim); });
      check.singular(
          "a tie", [](auto x) { return max(x, 0); }, Tensor<double>({3}, {1, 2, 2}), Tensor<double>({3}, {0, 1, 0}));
    });

template <RealScalar R>
Var<R> max(const Var<R>& x, int axis, bool keepdim) {
  return extreme(max_op, x, axis, keepdim, [](R a, R b) { return a > b; });
}
template <RealScalar R>
Var<R> max(const Var<R>& x) {
  return max(reshape(x, Shape{x.size()}), 0);
}

// ------------------------------------------------------------------------------------------------ min

static const Op min_op({.name = "min",
                        .kind = Kind::Real,
                        .equation = "y = min_i x_i",
                        .dz = "∂y/∂x_i = 1 for the smallest, else 0",
                        .dzbar = "no complex input",
                        .vjp = "dx_k = dy for the first k with x_k = y, else 0",
                        .jvp = "ẏ = ẋ_k for that k",
                        .derivation = "Around a point without ties y is that x_k.",
                        .singular = "ties: the first of the smallest gets the whole gradient. One NaN: y is NaN and so are all dx",
                        .source = "definition"},
                       [](OpCheck& check) {
                         check_extreme(check, [](auto x, int axis, bool keepdim) { return min(x, axis, keepdim); });
                         check.singular(
                             "a tie", [](auto x) { return min(x, 0); }, Tensor<double>({3}, {2, 1, 1}),
                             Tensor<double>({3}, {0, 1, 0}));
                       });

template <RealScalar R>
Var<R> min(const Var<R>& x, int axis, bool keepdim) {
  return extreme(min_op, x, axis, keepdim, [](R a, R b) { return a < b; });
}
template <RealScalar R>
Var<R> min(const Var<R>& x) {
  return min(reshape(x, Shape{x.size()}), 0);
}

#define ARGAND_EXTREME(R)                        \
  template Var<R> max(const Var<R>&, int, bool); \
  template Var<R> max(const Var<R>&);            \
  template Var<R> min(const Var<R>&, int, bool); \
  template Var<R> min(const Var<R>&);
ARGAND_FOR_REAL(ARGAND_EXTREME)

}  // namespace argand
