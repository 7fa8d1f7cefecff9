#include "core/shape.h"

#include <algorithm>

namespace argand {
namespace {

/// The product of the sizes up to `end`. Sizes can be set one by one, so they are checked here: the product must stay a valid
/// element count even without the sizes of 0, so that no later computation of indices or bytes can overflow.
std::int64_t checked_product(const Shape& shape, const std::int64_t* end) {
  std::int64_t product = 1, without_zeros = 1;
  for (const std::int64_t* size = shape.begin(); size != end; ++size) {
    require(*size >= 0, "shape", "sizes cannot be negative, got {}", *size);
    require(!__builtin_mul_overflow(without_zeros, std::max<std::int64_t>(1, *size), &without_zeros) &&
                without_zeros < (std::int64_t{1} << 48),
            "shape", "{} has too many elements", shape);
    product *= *size;
  }
  return product;
}

}  // namespace

Shape::Shape(std::initializer_list<std::int64_t> sizes) : Shape(std::span<const std::int64_t>(sizes.begin(), sizes.size())) {}

// Checks the sizes once, not axis by axis: shapes are constructed very often. (Checking each axis took 8 % of the time of a
// Hessian-vector product of a tiny CRAT.)
Shape::Shape(std::span<const std::int64_t> sizes) : rank_(static_cast<int>(sizes.size())) {
  require(sizes.size() <= max_rank, "shape", "at most {} axes are supported", max_rank);
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  checked_product(*this, end());
}

std::int64_t Shape::size() const { return checked_product(*this, end()); }
std::int64_t Shape::rows() const { return checked_product(*this, rank_ > 0 ? end() - 1 : end()); }

void Shape::push_back(std::int64_t size) {
  require(rank_ < max_rank, "shape", "at most {} axes are supported", max_rank);
  Shape longer = *this;
  longer.sizes_[static_cast<std::size_t>(longer.rank_++)] = size;
  checked_product(longer, longer.end());
  *this = longer;
}

void Shape::erase(int axis) {
  axis = checked(axis);
  std::copy(begin() + axis + 1, end(), sizes_.begin() + axis);
  --rank_;
}

int Shape::checked(int axis) const {
  const int positive = axis < 0 ? axis + rank_ : axis;
  if (positive < 0 || positive >= rank_) [[unlikely]]
    fail("shape", "axis {} is out of range for {}", axis, str());
  return positive;
}

std::string Shape::str() const {
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(sizes_[static_cast<std::size_t>(i)]);
  }
  return text + "]";
}

std::array<std::int64_t, Shape::max_rank> strides_of(const Shape& shape) {
  std::array<std::int64_t, Shape::max_rank> strides{};
  std::int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<std::size_t>(i)] = step;
    step *= shape[i];
  }
  return strides;
}

Shape broadcast(std::string_view op, const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::array<std::int64_t, Shape::max_rank> sizes{};
  for (int i = 1; i <= rank; ++i) {
    const std::int64_t m = i <= a.rank() ? a[-i] : 1, n = i <= b.rank() ? b[-i] : 1;
    require(m == n || m == 1 || n == 1, op, "shapes cannot be broadcast together: {} and {}", a, b);
    sizes[static_cast<std::size_t>(rank - i)] = m == 1 ? n : m;
  }
  return Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(rank)));
}

}  // namespace argand
