#pragma once
/// The sizes of a tensor, row-major: the last axis is contiguous.

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

namespace argand {

class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() = default;  ///< rank 0: a scalar, one element
  /// [0], without the checks: the shape of every default tensor.
  static constexpr Shape empty() {
    Shape shape;
    shape.rank_ = 1;
    return shape;
  }
  Shape(std::initializer_list<std::int64_t> sizes);
  explicit Shape(std::span<const std::int64_t> sizes);

  int rank() const { return rank_; }
  /// Product of the sizes; 1 for a scalar. Throws for negative sizes and for 2^48 elements or more, not counting empty axes.
  std::int64_t size() const;
  /// Size of one axis; negative axes count from the end. Throws for an axis out of range.
  std::int64_t operator[](int axis) const { return sizes_[static_cast<std::size_t>(checked(axis))]; }
  std::int64_t& operator[](int axis) { return sizes_[static_cast<std::size_t>(checked(axis))]; }
  std::int64_t back() const { return (*this)[-1]; }
  /// Product of all sizes but the last: the number of rows if the last axis is a row. 1 for a scalar.
  std::int64_t rows() const;

  const std::int64_t* begin() const { return sizes_.data(); }
  const std::int64_t* end() const { return sizes_.data() + rank_; }

  void push_back(std::int64_t size);
  void erase(int axis);
  /// The axis as a non-negative number. Throws for an axis out of range.
  int checked(int axis) const;

  friend bool operator==(const Shape& a, const Shape& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
  std::string str() const;  ///< "[2, 3]"

 private:
  std::array<std::int64_t, max_rank> sizes_{};
  int rank_ = 0;
};

/// Strides of a dense row-major tensor: the step in elements from one index to the next, per axis.
std::array<std::int64_t, Shape::max_rank> strides_of(const Shape& shape);

/// NumPy's broadcasting: shapes are aligned at the last axis, and axes of size 1 are stretched. Throws `op: shapes cannot be
/// broadcast together: [2, 3] and [4]`.
Shape broadcast(std::string_view op, const Shape& a, const Shape& b);

}  // namespace argand

template <>
struct fmt::formatter<argand::Shape> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const argand::Shape& shape, Context& context) const {
    return fmt::format_to(context.out(), "{}", shape.str());
  }
};
