#pragma once
/// Shared by the transforms in this folder: axes, lengths and normalization factors.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "autograd/ops/fourier/fourier.h"
#include "autograd/ops/own_name.h"
#include "core/fourier.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/reduce.h"

namespace argand::transforms {

/// P x: truncates an axis of x to n elements, or pads it with zeros. Its adjoint Pᵀ does the reverse.
template <Scalar T>
Tensor<T> of_length(const Tensor<T>& x, int axis, std::int64_t n) {
  if (x.dim(axis) == n) return x;
  Shape shape = x.shape();
  shape[axis] = n;
  Tensor<T> y = Tensor<T>::zeros(shape);
  const AxisView from(x.shape(), axis), to(shape, axis);
  const std::int64_t kept = std::min(from.n, n) * from.inner;
  T* const out = y.data();
  parallel_for(from.outer, row_grain(kept), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t o = begin; o < end; ++o) std::copy_n(x.data() + o * from.n * from.inner, kept, out + o * n * from.inner);
  });
  return y;
}

/// The factor c of a transform of N elements in total.
inline double factor_of(FourierNorm norm, bool inverse, double N) {
  if (norm == FourierNorm::Ortho) return 1 / std::sqrt(N);
  return (norm == FourierNorm::Backward) == inverse ? 1 / N : 1;
}

inline FourierSign sign_of(bool inverse) { return inverse ? FourierSign::Plus : FourierSign::Minus; }
inline FourierSign opposite(FourierSign sign) { return sign == FourierSign::Minus ? FourierSign::Plus : FourierSign::Minus; }

/// The axes of a transform, and the length along each.
struct Axes {
  std::vector<int> axes;
  std::vector<std::int64_t> n;
};

inline Axes checked_axes(std::string_view op, const Shape& shape, std::vector<std::int64_t> n, std::vector<int> axes) {
  const auto rank = static_cast<std::size_t>(shape.rank());
  if (axes.empty()) {
    require(n.size() <= rank, op, "got {} lengths for the {} axes of {}", n.size(), rank, shape);
    axes.resize(n.empty() ? rank : n.size());
    std::iota(axes.begin(), axes.end(), static_cast<int>(rank - axes.size()));
  }
  n.resize(n.empty() ? axes.size() : n.size(), -1);
  require(!axes.empty(), op, "needs an axis to transform along, got a scalar");
  require(n.size() == axes.size(), op, "got {} lengths for {} axes; give one per axis", n.size(), axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    require_axis(op, shape, axes[k]);
    axes[k] = shape.checked(axes[k]);
    require(std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(k), axes[k]) ==
                axes.begin() + static_cast<std::ptrdiff_t>(k),
            op, "axis {} is repeated", axes[k]);
    if (n[k] == -1) n[k] = shape[axes[k]];
    require(n[k] >= 1, op, "length must be at least 1, got {} along axis {} of {}", n[k], axes[k], shape);
  }
  return {std::move(axes), std::move(n)};
}

inline std::vector<std::int64_t> one_length(std::string_view op, std::optional<std::int64_t> n) {
  require(!n || *n >= 1, op, "length must be at least 1, got {}", n.value_or(0));
  return n ? std::vector{*n} : std::vector<std::int64_t>{};
}

inline constexpr auto every_norm = {FourierNorm::Backward, FourierNorm::Ortho, FourierNorm::Forward};
constexpr const char* norm_word(FourierNorm norm) {
  return norm == FourierNorm::Backward ? "backward" : norm == FourierNorm::Ortho ? "ortho" : "forward";
}

}  // namespace argand::transforms
