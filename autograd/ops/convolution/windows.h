#pragma once
/// What convolutions do beside a matrix product: the numbers under every place of the window laid out as columns, and back.

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/scalar.h"

namespace argand {

/// A window of kernel [kh, kw] that moves over images [C, H, W] and stops at [h, w] places.
struct ConvolutionWindows {
  std::int64_t C = 1, H = 1, W = 1;
  std::array<std::int64_t, 2> kernel{1, 1}, stride{1, 1}, padding{0, 0}, dilation{1, 1};
  std::int64_t h = 1, w = 1;

  std::int64_t image() const { return C * H * W; }
  std::int64_t rows() const { return C * kernel[0] * kernel[1]; }
  std::int64_t places() const { return h * w; }
  /// One column is the whole of its place: the columns are the image itself.
  bool trivial() const {
    const auto all = [](const std::array<std::int64_t, 2>& pair, std::int64_t v) { return pair[0] == v && pair[1] == v; };
    return all(kernel, 1) && all(stride, 1) && all(padding, 0);
  }
};

namespace detail {

/// f(row of the columns, its place y, the image's row under it or null, first place x inside the image, last, image's number at
/// first).
template <class T, class F>
void for_window_rows(const ConvolutionWindows& v, T* image, const F& f) {
  std::int64_t row = 0;
  for (std::int64_t c = 0; c < v.C; ++c)
    for (std::int64_t i = 0; i < v.kernel[0]; ++i)
      for (std::int64_t j = 0; j < v.kernel[1]; ++j, ++row) {
        // Column x of place (y, x) is the image's x stride + shift: inside it for first <= x < last.
        const std::int64_t shift = j * v.dilation[1] - v.padding[1], step = v.stride[1];
        const std::int64_t first = std::clamp<std::int64_t>(shift < 0 ? (-shift + step - 1) / step : 0, 0, v.w);
        const std::int64_t last = std::clamp<std::int64_t>(v.W > shift ? (v.W - shift + step - 1) / step : 0, first, v.w);
        for (std::int64_t y = 0; y < v.h; ++y) {
          const std::int64_t line = y * v.stride[0] + i * v.dilation[0] - v.padding[0];
          const bool inside = line >= 0 && line < v.H && first < last;
          f(row * v.places() + y * v.w, inside ? image + (c * v.H + line) * v.W + first * step + shift : nullptr, first, last);
        }
      }
}

}  // namespace detail

/// columns [C kh kw, h w] of image [C, H, W]: what lies under the window's cells at every place, 0 beyond the edges.
template <Scalar T>
void columns_of(const ConvolutionWindows& v, const T* image, T* columns) {
  detail::for_window_rows(v, image, [&](std::int64_t at, const T* from, std::int64_t first, std::int64_t last) {
    T* const to = columns + at;
    if (from == nullptr) {
      std::fill_n(to, v.w, T(0));
      return;
    }
    std::fill_n(to, first, T(0));
    if (v.stride[1] == 1)
      std::copy_n(from, last - first, to + first);
    else
      for (std::int64_t x = first; x < last; ++x) to[x] = from[(x - first) * v.stride[1]];
    std::fill_n(to + last, v.w - last, T(0));
  });
}

/// The adjoint: image += the columns, each number where it came from.
template <Scalar T>
void add_columns(const ConvolutionWindows& v, const T* columns, T* image) {
  detail::for_window_rows(v, image, [&](std::int64_t at, T* to, std::int64_t first, std::int64_t last) {
    if (to == nullptr) return;
    const T* const from = columns + at + first;
    for (std::int64_t x = 0; x < last - first; ++x) to[x * v.stride[1]] += from[x];
  });
}

}  // namespace argand
