#pragma once
/// Shared by the convolutions over one, two and three axes: their sizes, with errors that name the calling op, and the matrix
/// products with windows as columns.

#include <algorithm>
#include <span>

#include "autograd/ops/convolution/convolution.h"
#include "autograd/ops/convolution/windows.h"
#include "core/error.h"
#include "core/gemm.h"
#include "core/parallel.h"

namespace argand::convolution {

/// The sizes of one layer: N images of `groups` groups; per group, each image has `windows.C` channels and each output position
/// (place) has `channels`.
struct ConvolutionPlan {
  std::int64_t N = 0, groups = 1, channels = 0;
  ConvolutionWindows windows;

  std::int64_t image_step() const { return groups * windows.image(); }
  std::int64_t places_step() const { return groups * channels * windows.places(); }
  std::int64_t weight_step() const { return channels * windows.rows(); }
  std::int64_t multiplications() const { return N * groups * channels * windows.rows() * windows.places(); }
};

/// Calls f(n, g, columns) for every image and group; `columns` is a per-thread buffer for the columns of one group. Many small
/// images are divided among the threads; for a few large ones the matrix product is parallel.
template <Scalar T, class F>
void for_images(const ConvolutionPlan& p, const F& f) {
  const auto some = [&](std::int64_t begin, std::int64_t end) {
    Tensor<T> room(Shape{p.windows.trivial() ? 0 : p.windows.rows() * p.windows.places()});
    T* const columns = room.data();
    for (std::int64_t n = begin; n < end; ++n)
      for (std::int64_t g = 0; g < p.groups; ++g) f(n, g, columns);
  };
  p.N > 1 ? parallel_for(p.N, 1, some) : some(0, p.N);
}

/// places[n, g] = weight[g] columns(image[n, g]); with conj(weight) for the adjoint.
template <Scalar T>
void image_to_places(const ConvolutionPlan& p, const T* image, Transpose weight_is, const T* weight, T beta, T* places) {
  const ConvolutionWindows& v = p.windows;
  for_images<T>(p, [&](std::int64_t n, std::int64_t g, T* columns) {
    const T* in = image + n * p.image_step() + g * v.image();
    if (!v.trivial()) columns_of(v, in, columns);
    gemm<T>(weight_is, Transpose::No, p.channels, v.places(), v.rows(), T(1), weight + g * p.weight_step(), v.rows(),
            v.trivial() ? in : columns, v.places(), beta, places + n * p.places_step() + g * p.channels * v.places(), v.places());
  });
}

/// Adds the columns weight[g]ᵀ places[n, g], or weight[g]ᴴ places[n, g], back into image[n, g].
template <Scalar T>
void add_places_to_image(const ConvolutionPlan& p, const T* places, Transpose weight_is, const T* weight, T* image) {
  const ConvolutionWindows& v = p.windows;
  for_images<T>(p, [&](std::int64_t n, std::int64_t g, T* columns) {
    T* const out = image + n * p.image_step() + g * v.image();
    gemm<T>(weight_is, Transpose::No, v.rows(), v.places(), p.channels, T(1), weight + g * p.weight_step(), v.rows(),
            places + n * p.places_step() + g * p.channels * v.places(), v.places(), v.trivial() ? T(1) : T(0),
            v.trivial() ? out : columns, v.places());
    if (!v.trivial()) add_columns(v, columns, out);
  });
}

/// dweight[g] (+)= Σ_n places[n, g] columns(image[n, g])ᵀ, one factor conjugated, summed in the order of n for any thread count.
template <Scalar T>
void add_to_weight(const ConvolutionPlan& p, const T* places, Transpose places_are, const T* image, Transpose columns_are, bool add,
                   T* dweight) {
  const ConvolutionWindows& v = p.windows;
  Tensor<T> room(Shape{v.trivial() ? 0 : v.rows() * v.places()});
  T* const columns = room.data();
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t g = 0; g < p.groups; ++g) {
      const T* in = image + n * p.image_step() + g * v.image();
      if (!v.trivial()) columns_of(v, in, columns);
      gemm<T>(places_are, columns_are, p.channels, v.rows(), v.places(), T(1),
              places + n * p.places_step() + g * p.channels * v.places(), v.places(), v.trivial() ? in : columns, v.places(),
              add || n > 0 ? T(1) : T(0), dweight + g * p.weight_step(), v.rows());
    }
  if (p.N == 0 && !add) std::fill_n(dweight, p.groups * p.weight_step(), T(0));
}

/// Extends options for up to three axes to three; the missing leading axes keep the defaults.
template <std::size_t n>
ConvolutionOptionsOf<3> of_three_axes(const ConvolutionOptionsOf<n>& o, std::size_t axes) {
  ConvolutionOptionsOf<3> all;
  all.groups = o.groups;
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t to = 2 - k, from = n - 1 - k;
    all.stride[to] = o.stride[from], all.padding[to] = o.padding[from], all.dilation[to] = o.dilation[from];
    all.output_padding[to] = o.output_padding[from];
  }
  return all;
}

/// Validates one axis and sets the sizes of the image and the output along it.
inline void set_axis(const char* op, const ConvolutionOptionsOf<3>& o, std::size_t k, std::int64_t size, bool transposed,
                     ConvolutionWindows& v) {
  require(o.stride[k] >= 1 && o.dilation[k] >= 1, op, "stride and dilation must be at least 1, got {} and {}", o.stride[k],
          o.dilation[k]);
  require(o.padding[k] >= 0, op, "padding must be at least 0, got {}", o.padding[k]);
  require(transposed || o.output_padding[k] == 0, op, "output_padding is only valid for transposed convolutions");
  require(o.output_padding[k] >= 0 && o.output_padding[k] < std::max(o.stride[k], o.dilation[k]), op,
          "output_padding {} must be in [0, max(stride, dilation))", o.output_padding[k]);
  const std::int64_t reach = o.dilation[k] * (v.kernel[k] - 1) + 1, padded = size + 2 * o.padding[k];
  v.size[k] = transposed ? (size - 1) * o.stride[k] - 2 * o.padding[k] + reach + o.output_padding[k] : size;
  v.stops[k] = transposed ? size : (padded - reach) / o.stride[k] + 1;
  require(v.kernel[k] >= 1 && (transposed ? v.size[k] >= 1 && size >= 1 : padded >= reach), op,
          "a window of {} elements does not fit in an axis of size {} with padding {}", reach, size, o.padding[k]);
}

/// The windows of a kernel over the last axes of x. `transposed`: x has the sizes of the convolution's output, and the image is the
/// result.
inline ConvolutionWindows windows_of(const char* op, const Shape& x, std::span<const std::int64_t> kernel, std::int64_t channels,
                                     const ConvolutionOptionsOf<3>& o, bool transposed) {
  ConvolutionWindows v;
  v.C = channels, v.stride = o.stride, v.padding = o.padding, v.dilation = o.dilation;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const std::size_t k = 3 - kernel.size() + i;
    v.kernel[k] = kernel[i];
    set_axis(op, o, k, x[static_cast<int>(i) - static_cast<int>(kernel.size())], transposed, v);
  }
  return v;
}

/// The plan of the op called `op` for x [N, C, ...] and weight [channels of places, channels of the image / groups, ...], both with
/// `axes` further axes. `transposed`: x has the sizes of the convolution's output, and the image is the result.
inline ConvolutionPlan plan_of(const char* op, const Shape& x, const Shape& weight, int axes, const ConvolutionOptionsOf<3>& o,
                               bool transposed) {
  static constexpr const char* names[] = {"", "[N, C, L]", "[N, C, H, W]", "[N, C, D, H, W]"};
  require(x.rank() == 2 + axes && weight.rank() == 2 + axes, op, "expects x {} and a weight with {} axes, got {} and {}",
          names[axes], 2 + axes, x, weight);
  require(o.groups >= 1 && x[1] % o.groups == 0 && weight[0] % o.groups == 0, op,
          "the channels of x {} and weight {} cannot be split into {} groups", x, weight, o.groups);
  require(x[1] == (transposed ? weight[0] : weight[1] * o.groups), op,
          "weight {} does not match the channels of {} with {} group{}", weight, x, o.groups, o.groups == 1 ? "" : "s");
  const auto kernel = std::span(weight.begin(), weight.end()).subspan(2);
  return {x[0], o.groups, weight[0] / o.groups, windows_of(op, x, kernel, weight[1], o, transposed)};
}

/// [N, channels, the last `axes` of `sizes`]
inline Shape shape_of(std::int64_t N, std::int64_t channels, const ConvolutionWindows::Axes& sizes, int axes) {
  Shape shape{N, channels};
  for (std::size_t k = 3 - static_cast<std::size_t>(axes); k < 3; ++k) shape.push_back(sizes[k]);
  return shape;
}

}  // namespace argand::convolution
