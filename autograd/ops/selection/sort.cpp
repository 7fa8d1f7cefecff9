#include "autograd/ops/selection/sort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/shape.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// For each element of the index, the row-major position that it refers to in a tensor of shape `x`. [N]
Ids places_of(const char* op, const Shape& x, int axis, const Ids& index) {
  require_axis(op, x, axis);
  const int along = x.checked(axis), rank = x.rank();
  const Shape& shape = index.shape();
  bool fits = shape.rank() == rank;
  for (int k = 0; fits && k < rank; ++k) fits = k == along || shape[k] <= x[k];
  require(fits, op, "index of shape {} does not match {}; ranks must agree, and only axis {} may be longer", shape, x, axis);
  require(x.size() <= std::numeric_limits<Ids::value_type>::max(), op, "{} has more than 2^31 elements", x);
  const auto strides = strides_of(x);
  Ids places(Shape{index.size()});
  std::array<std::int64_t, Shape::max_rank> at{};
  for (std::int64_t i = 0; i < index.size(); ++i) {
    require(0 <= index[i] && index[i] < x[along], op, "index {} is out of range for axis {} of {}", index[i], axis, x);
    std::int64_t place = 0;
    for (int k = 0; k < rank; ++k) {
      const auto a = static_cast<std::size_t>(k);
      place += strides[a] * (k == along ? index[i] : at[a]);
    }
    places[i] = static_cast<Ids::value_type>(place);
    for (int k = rank - 1; k >= 0 && ++at[static_cast<std::size_t>(k)] == shape[k]; --k) at[static_cast<std::size_t>(k)] = 0;
  }
  return places;
}

/// The indices of the first k elements in order; `before(a, b)`: whether a precedes b.
template <RealScalar R, class Before>
Ids order_along(const Tensor<R>& x, int axis, std::int64_t k, const Before& before) {
  const AxisView view(x.shape(), axis);
  Shape shape = x.shape();
  shape[axis] = k;
  Ids indices(shape);
  parallel_for(view.outer * view.inner, row_grain(8 * view.n), [&](std::int64_t begin, std::int64_t end) {
    std::vector<Ids::value_type> order(static_cast<std::size_t>(view.n));
    for (std::int64_t line = begin; line < end; ++line) {
      const std::int64_t o = line / view.inner, j = line % view.inner;
      const R* in = x.data() + o * view.n * view.inner + j;
      std::iota(order.begin(), order.end(), 0);
      // Ties are broken by position, so the order is stable and total.
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](Ids::value_type a, Ids::value_type b) {
        const R u = in[a * view.inner], v = in[b * view.inner];
        return before(u, v) || (!before(v, u) && a < b);
      });
      for (std::int64_t i = 0; i < k; ++i) indices[(o * k + i) * view.inner + j] = order[static_cast<std::size_t>(i)];
    }
  });
  return indices;
}

template <RealScalar R>
Ids order_by_size(const Tensor<R>& x, int axis, std::int64_t k, bool largest_first) {
  const auto less = [](R a, R b) { return a < b || (std::isnan(b) && !std::isnan(a)); };  // NaN ranks above all numbers
  if (largest_first) return order_along(x, axis, k, [less](R a, R b) { return less(b, a); });
  return order_along(x, axis, k, less);
}

template <RealScalar R>
Ids index_of_extreme(const char* op, const Tensor<R>& x, int axis, bool largest) {
  require_axis(op, x.shape(), axis);
  require(x.dim(axis) > 0, op, "axis {} of {} is empty", axis, x.shape());
  const Ids first = order_by_size(x, axis, 1, largest);
  return Ids(reduced(x.shape(), axis, false), {first.data(), first.data() + first.size()});
}

}  // namespace

template <Scalar T>
Var<T> gather(const Var<T>& x, int axis, const Ids& index) {
  return reshape(embedding(reshape(x, Shape{x.size(), 1}), places_of("gather", x.shape(), axis, index)), index.shape());
}

template <Scalar T>
Var<T> scatter_add(const Var<T>& x, int axis, const Ids& index, const Var<T>& source) {
  require(index.shape() == source.shape(), "scatter_add", "index and source must have the same shape, got {} and {}", index.shape(),
          source.shape());
  const Ids places = places_of("scatter_add", x.shape(), axis, index);
  return x + reshape(scatter_add(reshape(source, Shape{source.size(), 1}), places, x.size()), x.shape());
}

template <RealScalar R>
Sorted<R> sort(const Var<R>& x, int axis, bool descending) {
  require_axis("sort", x.shape(), axis);
  Ids indices = order_by_size(x.value(), axis, x.dim(axis), descending);
  return {gather(x, axis, indices), indices};
}

template <RealScalar R>
Sorted<R> topk(const Var<R>& x, std::int64_t k, int axis, bool largest) {
  require_axis("topk", x.shape(), axis);
  require(0 <= k && k <= x.dim(axis), "topk", "k = {} is out of range for axis {} of {}", k, axis, x.shape());
  Ids indices = order_by_size(x.value(), axis, k, largest);
  return {gather(x, axis, indices), indices};
}

template <RealScalar R>
Ids argmax(const Var<R>& x, int axis) {
  return index_of_extreme("argmax", x.value(), axis, true);
}
template <RealScalar R>
Ids argmin(const Var<R>& x, int axis) {
  return index_of_extreme("argmin", x.value(), axis, false);
}

#define ARGAND_BY_NUMBER(T)                               \
  template Var<T> gather(const Var<T>&, int, const Ids&); \
  template Var<T> scatter_add(const Var<T>&, int, const Ids&, const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_BY_NUMBER)
#define ARGAND_SORT(R)                                             \
  template Sorted<R> sort(const Var<R>&, int, bool);               \
  template Sorted<R> topk(const Var<R>&, std::int64_t, int, bool); \
  template Ids argmax(const Var<R>&, int);                         \
  template Ids argmin(const Var<R>&, int);
ARGAND_FOR_REAL(ARGAND_SORT)

}  // namespace argand
