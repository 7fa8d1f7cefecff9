#include "core/kernels/elementwise.h"

#include <algorithm>

#include "core/kernels/reduce.h"

namespace argand {

BroadcastPlan::BroadcastPlan(std::string_view op, const Shape& a_shape, const Shape& b_shape)
    : shape(broadcast(op, a_shape, b_shape)) {
  const auto stretch = [&](const Shape& from, auto& strides) {
    const auto own = strides_of(from);
    const int missing = shape.rank() - from.rank();
    for (int axis = 0; axis < from.rank(); ++axis)
      strides[static_cast<std::size_t>(axis + missing)] = from[axis] == 1 ? 0 : own[static_cast<std::size_t>(axis)];
  };
  stretch(a_shape, a);
  stretch(b_shape, b);
}

template <Scalar T>
Tensor<T> sum_to(const Tensor<T>& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Tensor<T> y = Tensor<T>::zeros(shape);
  if (x.size() == 0) return y;
  const BroadcastPlan plan("sum_to", x.shape(), shape);
  const int rank = plan.shape.rank();
  require(plan.shape == x.shape(), "sum_to", "{} does not broadcast to {}", shape, x.shape());

  // Bias and gain gradients are the common case: `shape` is the tail of x's shape. The columns are split among threads, and the
  // blocks of rows do not depend on the number of threads, so neither does the sum.
  std::int64_t tail = 1;
  int axis = rank;
  while (axis > 0 && plan.b[static_cast<std::size_t>(axis - 1)] == tail && tail < y.size()) tail *= plan.shape[--axis];
  if (tail == y.size()) {
    const std::int64_t rows = x.size() / tail;
    const T* const numbers = x.data();
    T* const total = y.data();
    if (tail == 1) {
      *total = block_sum<T>(rows, [numbers](std::int64_t i) { return numbers[i]; });
      return y;
    }
    Tensor<T> of_block(Shape{rows > summed_rows ? tail : 0});
    T* const later = of_block.data();
    parallel_for(tail, 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t first = 0; first < rows; first += summed_rows) {
        T* const sum = first == 0 ? total : later;
        if (first > 0) std::fill(sum + begin, sum + end, T(0));
        for (std::int64_t r = first; r < std::min(rows, first + summed_rows); ++r) {
          const T* in = numbers + r * tail;
          for_packs<RealOf<T>>(begin, end, [&](auto at) { at.add(sum, at.load(in)); });
        }
        if (first > 0) for_packs<RealOf<T>>(begin, end, [&](auto at) { at.add(total, at.load(later)); });
      }
    });
    return y;
  }
  const std::int64_t columns = plan.shape.back(), rows = x.size() / columns;
  const bool inner = plan.b[static_cast<std::size_t>(rank - 1)] == 0;  // the rows themselves are summed
  const bool in_blocks = rows > summed_rows && x.size() / y.size() > summed_rows;
  const std::int64_t block =
      in_blocks ? std::max(summed_rows, y.size() / columns) : rows;  // at least as much work as adding its sums
  Tensor<T> of_block = Tensor<T>::zeros(in_blocks ? shape : Shape{0});
  T *const total = y.data(), *const sums = in_blocks ? of_block.data() : total;
  BroadcastRows at(plan, 0);
  for (std::int64_t row = 0; row < rows; ++row, at.next()) {
    const T* const in = x.data() + row * columns;
    T* const sum = sums + at.b;
    if (!inner) for_packs<RealOf<T>>(0, columns, [&](auto k) { k.add(sum, k.load(in)); });
    for (std::int64_t c = 0; inner && c < columns; c += summed_rows)
      *sum += pack_sum<T>(c, std::min(columns, c + summed_rows), [in](auto k) { return k.load(in); });
    if (in_blocks && ((row + 1) % block == 0 || row + 1 == rows)) {
      for_packs<RealOf<T>>(0, y.size(), [&](auto k) { k.add(total, k.load(sums)); });
      std::fill(sums, sums + y.size(), T(0));
    }
  }
  return y;
}

#define ARGAND_SUM_TO(T) template Tensor<T> sum_to(const Tensor<T>&, const Shape&);
ARGAND_FOR_SCALAR(ARGAND_SUM_TO)

}  // namespace argand
