#include "autograd/ops/convolution/pooling.h"

#include <cmath>
#include <limits>

#include "autograd/ops/axes.h"
#include "autograd/ops/convolution/convolution.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/shape.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// The output shape; strides of 0 are replaced by the window's size.
Shape pooled_shape(const char* op, const Shape& x, const std::array<std::int64_t, 2>& window, PoolingOptions& o) {
  require(x.rank() >= 2, op, "expects [..., H, W], got {}", x);
  Shape shape = x;
  for (std::size_t k = 0; k < 2; ++k) {
    const int axis = static_cast<int>(k) - 2;
    if (o.stride[k] == 0) o.stride[k] = window[k];
    require(window[k] >= 1 && o.stride[k] >= 1, op, "window and stride must be at least 1, got {} and {}", window[k], o.stride[k]);
    require(0 <= o.padding[k] && 2 * o.padding[k] <= window[k], op, "padding {} must be between 0 and half the window size {}",
            o.padding[k], window[k]);
    require(x[axis] + 2 * o.padding[k] >= window[k], op,
            "a window of {} elements does not fit in an axis of size {} with padding {}", window[k], x[axis], o.padding[k]);
    shape[axis] = (x[axis] + 2 * o.padding[k] - window[k]) / o.stride[k] + 1;
  }
  return shape;
}

/// Pools [..., n] as an image with one row, [..., 1, n].
template <Scalar T, class F>
Var<T> along_a_line(const char* op, const Var<T>& x, const F& pool2d) {
  require(x.rank() >= 1, op, "expects [..., n], got {}", x.shape());
  return in_own_name(op, [&] { return squeeze(pool2d(unsqueeze(x, -2)), -2); });
}

}  // namespace

template <Scalar T>
Var<T> max_pool2d(const Var<T>& x, std::array<std::int64_t, 2> window, const PoolingOptions& options) {
  using R = RealOf<T>;
  PoolingOptions o = options;
  const Shape shape = pooled_shape("max_pool2d", x.shape(), window, o);
  require(x.size() <= std::numeric_limits<Ids::value_type>::max(), "max_pool2d", "{} has more than 2^31 elements", x.shape());
  const std::int64_t H = x.dim(-2), W = x.dim(-1), h = shape[-2], w = shape[-1];
  Ids places(shape);
  const T* const numbers = x.value().data();
  const auto size_of = [](T v) {
    if constexpr (ComplexScalar<T>)
      return modulus(v);
    else
      return v;
  };
  parallel_for(h * w == 0 ? 0 : shape.size() / w, row_grain(w * window[0] * window[1]), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t image = row / h, y = row % h;
      const std::int64_t top = y * o.stride[0] - o.padding[0];
      for (std::int64_t place = 0; place < w; ++place) {
        const std::int64_t left = place * o.stride[1] - o.padding[1];
        std::int64_t best = -1;
        R largest = 0;
        for (std::int64_t i = std::max<std::int64_t>(0, top); i < std::min(H, top + window[0]); ++i)
          for (std::int64_t j = std::max<std::int64_t>(0, left); j < std::min(W, left + window[1]); ++j) {
            const std::int64_t at = (image * H + i) * W + j;
            const R size = size_of(numbers[at]);
            if (best < 0 || size > largest || (std::isnan(size) && !std::isnan(largest))) best = at, largest = size;
          }
        places[row * w + place] = static_cast<Ids::value_type>(best);
      }
    }
  });
  return reshape(embedding(reshape(x, Shape{x.size(), 1}), places), shape);
}

template <Scalar T>
Var<T> avg_pool2d(const Var<T>& x, std::array<std::int64_t, 2> window, const PoolingOptions& options) {
  using R = RealOf<T>;
  PoolingOptions o = options;
  const Shape shape = pooled_shape("avg_pool2d", x.shape(), window, o);
  const std::int64_t H = x.dim(-2), W = x.dim(-1), images = H * W == 0 ? 0 : x.size() / (H * W);
  const Var<R> mean(Tensor<R>::full({1, 1, window[0], window[1]}, 1 / static_cast<R>(window[0] * window[1])));
  ConvolutionOptions convolution;
  convolution.stride = o.stride, convolution.padding = o.padding;
  return reshape(conv2d(reshape(x, Shape{images, 1, H, W}), mean, convolution), shape);
}

template <Scalar T>
Var<T> max_pool1d(const Var<T>& x, std::int64_t window, std::int64_t stride, std::int64_t padding) {
  return along_a_line("max_pool1d", x, [&](const Var<T>& line) {
    return max_pool2d(line, {1, window}, {{1, stride}, {0, padding}});
  });
}

template <Scalar T>
Var<T> avg_pool1d(const Var<T>& x, std::int64_t window, std::int64_t stride, std::int64_t padding) {
  return along_a_line("avg_pool1d", x, [&](const Var<T>& line) {
    return avg_pool2d(line, {1, window}, {{1, stride}, {0, padding}});
  });
}

#define ARGAND_POOLING(T)                                                                        \
  template Var<T> max_pool2d(const Var<T>&, std::array<std::int64_t, 2>, const PoolingOptions&); \
  template Var<T> avg_pool2d(const Var<T>&, std::array<std::int64_t, 2>, const PoolingOptions&); \
  template Var<T> max_pool1d(const Var<T>&, std::int64_t, std::int64_t, std::int64_t);           \
  template Var<T> avg_pool1d(const Var<T>&, std::int64_t, std::int64_t, std::int64_t);
ARGAND_FOR_SCALAR(ARGAND_POOLING)

}  // namespace argand
