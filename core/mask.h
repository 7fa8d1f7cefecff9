#pragma once
/// Mask: a dense row-major array of yes and no, what where() and masked_fill() choose by. Its own type, as Ids is: nothing is
/// differentiated by it.

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace argand {

class Mask {
 public:
  Mask() = default;
  /// Row-major, 0 is no. Throws when their count is not shape.size().
  Mask(const Shape& shape, std::vector<std::uint8_t> values);

  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }
  /// In row-major order, unchecked.
  bool operator[](std::int64_t i) const { return values_[static_cast<std::size_t>(i)] != 0; }
  const std::uint8_t* data() const { return values_.data(); }
  /// How many are yes.
  std::int64_t count() const;
  /// Stretched as NumPy's broadcasting has it. Throws when it does not stretch to that.
  Mask expand(const Shape& shape) const;

 private:
  Shape shape_{0};
  std::vector<std::uint8_t> values_;
};

/// Elementwise, of one shape; throw when the shapes differ.
Mask operator!(const Mask& a);
Mask operator&(const Mask& a, const Mask& b);
Mask operator|(const Mask& a, const Mask& b);

/// a > b, ..., elementwise with broadcasting, false where one is NaN (ne: true). Complex numbers have no order: compare real parts,
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
/// Where a part is NaN.
template <Scalar T>
Mask isnan(const Tensor<T>& a);

}  // namespace argand
