#pragma once
/// Parallel loops over tensors: map, map by packs, map with broadcasting, and the adjoint of broadcasting, the sum over stretched
/// axes.

#include <algorithm>
#include <array>
#include <tuple>

#include "core/kernels/vector_math.h"
#include "core/parallel.h"
#include "core/tensor.h"

namespace argand {

/// Whether f can be called with packs of these types, all of one precision. A lambda with `auto` parameters must compile for packs,
/// or have a trailing return type that fails for them; one with typed parameters is called with numbers.
template <class F, class... T>
concept TakesPacks = (std::same_as<RealOf<T>, RealOf<std::tuple_element_t<0, std::tuple<T...>>>> && ...) && requires(const F& f) {
  f(PackOf<T>()...);
};

/// y[i] = f(x[i], ...), all of the same shape.
template <class F, Scalar A, Scalar... Rest>
auto map(const F& f, const Tensor<A>& a, const Tensor<Rest>&... rest) {
  using Out = decltype(f(A(), Rest()...));
  (require(a.shape() == rest.shape(), "map", "shapes do not match: {} and {}", a.shape(), rest.shape()), ...);
  Tensor<Out> y(a.shape());
  Out* __restrict out = y.data();
  const auto loop = [&f, out](std::int64_t begin, std::int64_t end, const A* pa, const Rest*... p) {
    for (std::int64_t i = begin; i < end; ++i) out[i] = f(pa[i], p[i]...);
  };
  parallel_for(a.size(), elementwise_grain,
               [&](std::int64_t begin, std::int64_t end) { loop(begin, end, a.data(), rest.data()...); });
  return y;
}

/// y[i] = f(x[i], ...), one pack at a time: f is a formula for any number type, [](auto x) { return math::exp(x); }. It is called
/// with a Pack<R> for a real tensor and a ComplexPack<R> for a complex one, where R is the tensor's precision or double.
template <RealScalar R, class F, Scalar A, Scalar... Rest>
requires(std::same_as<RealOf<A>, RealOf<Rest>>&&...) auto map_packs(const F& f, const Tensor<A>& a, const Tensor<Rest>&... rest) {
  constexpr bool to_real = std::same_as<decltype(f(PackOf<A, R>(), PackOf<Rest, R>()...)), Pack<R>>;
  using Out = std::conditional_t<to_real, RealOf<A>, std::complex<RealOf<A>>>;
  (require(a.shape() == rest.shape(), "map", "shapes do not match: {} and {}", a.shape(), rest.shape()), ...);
  Tensor<Out> y(a.shape());
  Out* const out = y.data();
  parallel_for(a.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
    for_packs<R>(begin, end, [&](auto at) { at.store(out, f(at.load(a.data()), at.load(rest.data())...)); });
  });
  return y;
}
template <class F, Scalar A, Scalar... Rest>
auto map_packs(const F& f, const Tensor<A>& a, const Tensor<Rest>&... rest) {
  return map_packs<RealOf<A>>(f, a, rest...);
}

/// The value and the slope of a function at every element; f returns both, as a pair, for a pack.
template <RealScalar R>
struct ValueAndSlope {
  Tensor<R> value, slope;
};
template <class F, RealScalar R>
ValueAndSlope<R> map_with_slope(const F& f, const Tensor<R>& x) {
  ValueAndSlope<R> y{Tensor<R>(x.shape()), Tensor<R>(x.shape())};
  R *const value = y.value.data(), *const slope = y.slope.data();
  parallel_for(x.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
    for_packs<R>(begin, end, [&](auto at) {
      const auto both = f(at.load(x.data()));
      at.store(value, both.first);
      at.store(slope, both.second);
    });
  });
  return y;
}

/// How two shapes broadcast to a common one: the strides locate element (row, column) of the result in a and b; they are 0 along
/// stretched axes.
struct BroadcastPlan {
  Shape shape;                                         ///< shape of the result
  std::array<std::int64_t, Shape::max_rank> a{}, b{};  ///< strides in elements, aligned with `shape`
  BroadcastPlan(std::string_view op, const Shape& a_shape, const Shape& b_shape);
};

/// Iterates over the rows of a broadcast result (its last axis) and tracks where the rows of a and b begin.
class BroadcastRows {
 public:
  BroadcastRows(const BroadcastPlan& plan, std::int64_t row) : plan_(plan) {
    for (int axis = plan.shape.rank() - 2; axis >= 0; --axis) {
      const auto k = static_cast<std::size_t>(axis);
      index_[k] = row % plan.shape[axis];
      row /= plan.shape[axis];
      a += index_[k] * plan.a[k];
      b += index_[k] * plan.b[k];
    }
  }
  /// Moves to the next row by counting up: a division per axis and row would cost more than a short row.
  void next() {
    for (int axis = plan_.shape.rank() - 2; axis >= 0; --axis) {
      const auto k = static_cast<std::size_t>(axis);
      a += plan_.a[k];
      b += plan_.b[k];
      if (++index_[k] < plan_.shape[axis]) return;
      a -= index_[k] * plan_.a[k];
      b -= index_[k] * plan_.b[k];
      index_[k] = 0;
    }
  }
  std::int64_t a = 0, b = 0;  ///< offsets in elements

 private:
  const BroadcastPlan& plan_;
  std::array<std::int64_t, Shape::max_rank> index_{};
};

/// Calls put(at, x, y) for the places of the broadcast result, with the elements of a and b: numbers, or packs if `by_packs`, with
/// numbers at the ends of rows.
template <bool by_packs, Scalar A, Scalar B, class Put>
void for_broadcast(const BroadcastPlan& plan, const A* a, const B* b, const Put& put) {
  const int rank = plan.shape.rank();
  if (plan.shape.size() == 0) return;
  const std::int64_t columns = rank == 0 ? 1 : plan.shape.back(), rows = plan.shape.size() / columns;
  // Along a row of the result, a and b each have a row, or one number for all columns.
  const auto last = static_cast<std::size_t>(std::max(0, rank - 1));
  const bool a_row = plan.a[last] == 1, b_row = plan.b[last] == 1;
  parallel_for(rows, std::max<std::int64_t>(1, elementwise_grain / columns), [&](std::int64_t begin, std::int64_t end) {
    BroadcastRows row(plan, begin);
    for (std::int64_t r = begin; r < end; ++r, row.next()) {
      const A* const pa = a + row.a;
      const B* const pb = b + row.b;
      const auto in_result = [start = r * columns]<class At>(At at) {
        at.place += start;
        return at;
      };
      const auto each = [&](const auto& f) {
        if constexpr (by_packs)
          for_short_packs<RealOf<A>>(0, columns, f);
        else
          for (std::int64_t i = 0; i < columns; ++i) f(OneAt{i});
      };
      if (a_row && b_row)
        each([&](auto at) { put(in_result(at), at.load(pa), at.load(pb)); });
      else if (a_row)
        each([&](auto at) { put(in_result(at), at.load(pa), at.same(*pb)); });
      else
        each([&](auto at) { put(in_result(at), at.same(*pa), b_row ? at.load(pb) : at.same(*pb)); });
    }
  });
}

/// y = f(a, b) with NumPy's broadcasting; f is called with packs if it takes them.
template <class F, Scalar A, Scalar B>
auto broadcast_map(std::string_view op, const F& f, const Tensor<A>& a, const Tensor<B>& b) {
  constexpr bool by_packs = TakesPacks<F, A, B>;
  if (a.shape() == b.shape()) {
    if constexpr (by_packs)
      return map_packs(f, a, b);
    else
      return map(f, a, b);
  }
  const BroadcastPlan plan(op, a.shape(), b.shape());
  Tensor<decltype(f(A(), B()))> y(plan.shape);
  for_broadcast<by_packs>(plan, a.data(), b.data(), [&f, out = y.data()](auto at, auto x, auto z) { at.store(out, f(x, z)); });
  return y;
}

/// The adjoint of broadcasting: sums x over the axes along which `shape` was stretched to x.shape().
template <Scalar T>
Tensor<T> sum_to(const Tensor<T>& x, const Shape& shape);

}  // namespace argand
