#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// The check cases for max and min, called as f(x, axis, keepdim).
template <class F>
void check_extreme(OpCheck& check, const F& f) {
  const auto last = [f](auto x) { return f(x, -1, false); };
  const auto first = [f](auto x) { return f(x, 0, false); };
  check.function("last axis", last, check.real({3, 4}));
  check.function(
      "first axis, kept", [f](auto x) { return f(x, 0, true); }, check.real({3, 4}));
  check.sizes("", [=](OpCheck& at, std::int64_t n) {
    // One element in seven is an outlier on either side, so that difference quotients stay away from ties.
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

/// Picks one element per line along the axis: choose(line, n, step) returns its index. The result is NaN if a NaN is chosen.
template <RealScalar R, class Choose>
Var<R> chosen(const Op& op, const Var<R>& x, int axis, bool keepdim, const Choose& choose) {
  require(x.dim(axis) > 0, op.name(), "axis {} of {} is empty", axis, x.shape());
  const AxisView view(x.shape(), axis);
  Tensor<R> y(reduced(x.shape(), axis, keepdim));
  // The index in x of each result; -1 where it is NaN.
  std::vector<std::int64_t> where(static_cast<std::size_t>(y.size()));
  const auto first_of = [view](std::int64_t place) { return place / view.inner * view.n * view.inner + place % view.inner; };
  parallel_for(y.size(), row_grain(view.n), [&, out = y.data(), in = x.value().data()](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin; place < end; ++place) {
      const std::int64_t found = first_of(place) + view.inner * choose(in + first_of(place), view.n, view.inner);
      out[place] = in[found];
      where[static_cast<std::size_t>(place)] = std::isnan(in[found]) ? -1 : found;
    }
  });
  return record(
      op, std::move(y),
      [where, first_of, view, size = x.size(), dx = accumulator(x)](const Tensor<R>& dy) {
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

/// The element along the axis that is `better` than all others, or a NaN if there is one.
template <RealScalar R, class Better>
Var<R> extreme(const Op& op, const Var<R>& x, int axis, bool keepdim, const Better& better) {
  return chosen(op, x, axis, keepdim, [&](const R* line, std::int64_t n, std::int64_t step) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < n; ++i) {
      const R candidate = line[i * step], leader = line[best * step];
      if (better(candidate, leader) || (std::isnan(candidate) && !std::isnan(leader))) best = i;
    }
    return best;
  });
}

}  // namespace

// ------------------------------------------------------------------------------------------------ max

static const Op max_op({.name = "max",
                        .kind = Kind::Real,
                        .equation = "y = max_i x_i",
                        .dz = "∂y/∂x_i = 1 for the largest, else 0",
                        .dzbar = "no complex input",
                        .vjp = "dx_k = dy for the first k with x_k = y, else 0",
                        .jvp = "ẏ = ẋ_k for the same k",
                        .derivation = "Away from ties, y equals the same x_k in a neighbourhood.",
                        .singular = "ties: the first of the largest gets the whole gradient. ±inf compare like other numbers. A "
                                    "NaN makes y and all gradients NaN, as the largest is undefined",
                        .source = "definition"},
                       [](OpCheck& check) {
                         check_extreme(check, [](auto x, int axis, bool keepdim) { return max(x, axis, keepdim); });
                         check.singular(
                             "a tie", [](auto x) { return max(x, 0); }, Tensor<double>({3}, {1, 2, 2}),
                             Tensor<double>({3}, {0, 1, 0}));
                       });

template <RealScalar R>
Var<R> max(const Var<R>& x, int axis, bool keepdim) {
  require_axis("max", x.shape(), axis);
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
                        .jvp = "ẏ = ẋ_k for the same k",
                        .derivation = "Away from ties, y equals the same x_k in a neighbourhood.",
                        .singular = "ties: the first of the smallest gets the whole gradient. ±inf compare like other numbers. A "
                                    "NaN makes y and all gradients NaN",
                        .source = "definition"},
                       [](OpCheck& check) {
                         check_extreme(check, [](auto x, int axis, bool keepdim) { return min(x, axis, keepdim); });
                         check.singular(
                             "a tie", [](auto x) { return min(x, 0); }, Tensor<double>({3}, {2, 1, 1}),
                             Tensor<double>({3}, {0, 1, 0}));
                       });

template <RealScalar R>
Var<R> min(const Var<R>& x, int axis, bool keepdim) {
  require_axis("min", x.shape(), axis);
  return extreme(min_op, x, axis, keepdim, [](R a, R b) { return a < b; });
}
template <RealScalar R>
Var<R> min(const Var<R>& x) {
  return min(reshape(x, Shape{x.size()}), 0);
}

// ------------------------------------------------------------------------------------------------ median

static const Op median_op({.name = "median",
                           .kind = Kind::Real,
                           .equation = "y = x_(k), k = ⌈n/2⌉: the middle element in sorted order, for even n the lower of the two",
                           .dz = "∂y/∂x_i = 1 for the middle element, else 0",
                           .dzbar = "no complex input",
                           .vjp = "dx_j = dy for the first j with x_j = y, else 0",
                           .jvp = "ẏ = ẋ_j for the same j",
                           .derivation = "Away from ties the order does not change in a neighbourhood, and y equals the same x_j.",
                           .singular = "ties: the first of the elements equal to y gets the whole gradient. ±inf compare like "
                                       "other numbers. A NaN makes y and all gradients NaN",
                           .source = "definition"},
                          [](OpCheck& check) {
                            check_extreme(check, [](auto x, int axis, bool keepdim) { return median(x, axis, keepdim); });
                            check.function(
                                "all", [](auto x) { return median(x); }, check.real({7}));
                            check.singular(
                                "a tie", [](auto x) { return median(x, 0); }, Tensor<double>({4}, {3, 2, 2, 1}),
                                Tensor<double>({4}, {0, 1, 0, 0}));
                          });

template <RealScalar R>
Var<R> median(const Var<R>& x, int axis, bool keepdim) {
  require_axis("median", x.shape(), axis);
  return chosen(median_op, x, axis, keepdim, [](const R* line, std::int64_t n, std::int64_t step) {
    std::vector<R> sorted(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      if (std::isnan(line[i * step])) return i;
      sorted[static_cast<std::size_t>(i)] = line[i * step];
    }
    const auto middle = sorted.begin() + (n - 1) / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    std::int64_t found = 0;
    while (line[found * step] != *middle) ++found;
    return found;
  });
}
template <RealScalar R>
Var<R> median(const Var<R>& x) {
  return median(reshape(x, Shape{x.size()}), 0);
}

#define ARGAND_EXTREME(R)                           \
  template Var<R> max(const Var<R>&, int, bool);    \
  template Var<R> max(const Var<R>&);               \
  template Var<R> min(const Var<R>&, int, bool);    \
  template Var<R> min(const Var<R>&);               \
  template Var<R> median(const Var<R>&, int, bool); \
  template Var<R> median(const Var<R>&);
ARGAND_FOR_REAL(ARGAND_EXTREME)

}  // namespace argand
