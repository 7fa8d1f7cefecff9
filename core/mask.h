#pragma once
/// Mask: a dense row-major array of booleans, the condition of where() and masked_fill(). It is a separate type, like Ids,
/// because nothing is differentiated with respect to it.

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace argand {

class Mask {
 public:
  Mask() = default;
  /// Values in row-major order; 0 is false. Throws when their count is not shape.size().
  Mask(const Shape& shape, std::vector<std::uint8_t> values);

  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }
  /// In row-major order, unchecked.
  bool operator[](std::int64_t i) const { return values_[static_cast<std::size_t>(i)] != 0; }
  const std::uint8_t* data() const { return values_.data(); }
  /// The number of true elements.
  std::int64_t count() const;
  /// Broadcasts as NumPy does. Throws when the mask does not broadcast to `shape`.
  Mask expand(const Shape& shape) const;

 private:
  Shape shape_{0};
  std::vector<std::uint8_t> values_;
};

/// Elementwise, for equal shapes; throw when the shapes differ.
Mask operator!(const Mask& a);
Mask operator&(const Mask& a, const Mask& b);
Mask operator|(const Mask& a, const Mask& b);

/// a > b, ..., elementwise with broadcasting; false if either is NaN (ne: true). Complex numbers have no order: compare real parts,
/// magnitudes, ...
template <RealScalar R>
Mask gt(const Tensor<R>& a, const Tensor<R>& b);
template <RealScalar R>
Mask ge(const Tensor<R>& a, const Tensor<R>& b);
template <RealScalar R>
Mask lt(const Tensor<R>& a, const Tensor<R>& b);
template <RealScalar R>
Mask le(const Tensor<R>& a, const Tensor<R>& b);
template <Scalar T>
Mask eq(const Tensor<T>& a, const Tensor<T>& b);
template <Scalar T>
Mask ne(const Tensor<T>& a, const Tensor<T>& b);
/// True where the real or imaginary part is NaN.
template <Scalar T>
Mask isnan(const Tensor<T>& a);

}  // namespace argand
