#pragma once
/// The part of a convolution around its matrix product: gathers the elements under each window into columns, and scatters them
/// back.

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/scalar.h"

namespace argand {

/// A kernel window [kd, kh, kw] that slides over images [C, D, H, W] and takes [d, h, w] positions. Missing leading axes have
/// size 1.
struct ConvolutionWindows {
  using Axes = std::array<std::int64_t, 3>;
  std::int64_t C = 1;
  Axes size{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, padding{0, 0, 0}, dilation{1, 1, 1}, stops{1, 1, 1};

  std::int64_t image() const { return C * product(size); }
  std::int64_t rows() const { return C * product(kernel); }
  std::int64_t places() const { return product(stops); }
  /// Whether the columns are the image itself.
  bool trivial() const { return kernel == Axes{1, 1, 1} && stride == Axes{1, 1, 1} && padding == Axes{0, 0, 0} && size == stops; }

 private:
  static std::int64_t product(const Axes& a) { return a[0] * a[1] * a[2]; }
};

namespace detail {

/// Calls f(start of a row of the columns, image element at position `first` or null, first, last), with the positions first <= x <
/// last inside the image, for rows along the image's last axis.
template <class T, class F>
void for_window_rows(const ConvolutionWindows& v, T* image, const F& f) {
  const auto line_of = [&](std::size_t axis, std::int64_t place, std::int64_t cell) {
    return place * v.stride[axis] + cell * v.dilation[axis] - v.padding[axis];
  };
  const std::int64_t step = v.stride[2], w = v.stops[2], W = v.size[2];
  std::int64_t row = 0;
  for (std::int64_t c = 0; c < v.C; ++c)
    for (std::int64_t h = 0; h < v.kernel[0]; ++h)
      for (std::int64_t i = 0; i < v.kernel[1]; ++i)
        for (std::int64_t j = 0; j < v.kernel[2]; ++j, ++row) {
          // Position x of a row lies at x stride + shift in the image: inside it for first <= x < last.
          const std::int64_t shift = line_of(2, 0, j);
          const std::int64_t first = std::clamp<std::int64_t>(shift < 0 ? (-shift + step - 1) / step : 0, 0, w);
          const std::int64_t last = std::clamp<std::int64_t>(W > shift ? (W - shift + step - 1) / step : 0, first, w);
          std::int64_t at = row * v.places();
          for (std::int64_t z = 0; z < v.stops[0]; ++z)
            for (std::int64_t y = 0; y < v.stops[1]; ++y, at += w) {
              const std::int64_t layer = line_of(0, z, h), line = line_of(1, y, i);
              const bool inside = layer >= 0 && layer < v.size[0] && line >= 0 && line < v.size[1] && first < last;
              f(at, inside ? image + ((c * v.size[0] + layer) * v.size[1] + line) * W + first * step + shift : nullptr, first,
                last);
            }
        }
}

}  // namespace detail

/// columns [C kd kh kw, d h w] of image [C, D, H, W]: the elements under the window's cells at every position, 0 beyond the edges.
template <Scalar T>
void columns_of(const ConvolutionWindows& v, const T* image, T* columns) {
  detail::for_window_rows(v, image, [&](std::int64_t at, const T* from, std::int64_t first, std::int64_t last) {
    T* const to = columns + at;
    if (from == nullptr) {
      std::fill_n(to, v.stops[2], T(0));
      return;
    }
    std::fill_n(to, first, T(0));
    if (v.stride[2] == 1)
      std::copy_n(from, last - first, to + first);
    else
      for (std::int64_t x = first; x < last; ++x) to[x] = from[(x - first) * v.stride[2]];
    std::fill_n(to + last, v.stops[2] - last, T(0));
  });
}

/// The adjoint: adds each element of the columns to its element of the image.
template <Scalar T>
void add_columns(const ConvolutionWindows& v, const T* columns, T* image) {
  detail::for_window_rows(v, image, [&](std::int64_t at, T* to, std::int64_t first, std::int64_t last) {
    if (to == nullptr) return;
    const T* const from = columns + at + first;
    for (std::int64_t x = 0; x < last - first; ++x) to[x * v.stride[2]] += from[x];
  });
}

}  // namespace argand
