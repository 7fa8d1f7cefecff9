#include "core/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "core/kernels/pack.h"
#include "core/memory.h"
#include "core/parallel.h"

namespace argand {
// Defined here, not in the header: an op uses a dozen tensors, and inlining these functions made every op take a tenth longer to
// compile.
template <Scalar T>
Tensor<T>::Tensor() = default;
template <Scalar T>
Tensor<T>::Tensor(const Tensor&) = default;
template <Scalar T>
Tensor<T>& Tensor<T>::operator=(const Tensor&) = default;
template <Scalar T>
Tensor<T>::Tensor(Tensor&& other) noexcept
    : shape_(other.shape_), size_(other.size_), storage_(std::move(other.storage_)), data_(other.data_) {
  other.shape_ = Shape::empty();
  other.size_ = 0;
  other.data_ = nullptr;
}
template <Scalar T>
Tensor<T>& Tensor<T>::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  shape_ = std::exchange(other.shape_, Shape::empty());
  size_ = std::exchange(other.size_, 0);
  storage_ = std::move(other.storage_);
  data_ = std::exchange(other.data_, nullptr);
  return *this;
}
template <Scalar T>
Tensor<T>::~Tensor() = default;

template <Scalar T>
Tensor<T>::Tensor(const Shape& shape)
    : shape_(shape),
      size_(shape.size()),
      storage_(allocate(static_cast<std::size_t>(size_) * sizeof(T))),
      data_(static_cast<T*>(storage_.get())) {}

template <Scalar T>
Tensor<T>::Tensor(const Shape& shape, std::span<const T> values) : Tensor(shape) {
  require(static_cast<std::int64_t>(values.size()) == size_, "tensor", "{} takes {} values, got {}", shape, size_, values.size());
  std::copy(values.begin(), values.end(), data_);
}

template <Scalar T>
Tensor<T> Tensor<T>::full(const Shape& shape, T value) {
  Tensor x(shape);
  x.fill(value);
  return x;
}

template <Scalar T>
T Tensor<T>::item() const {
  require(size_ == 1, "item", "expected one element, got shape {}", shape_);
  return data_[0];
}

template <Scalar T>
Tensor<T> Tensor<T>::reshape(const Shape& shape) const {
  require(shape.size() == size_, "reshape", "{} has {} elements, but {} needs {}", shape_, size_, shape, shape.size());
  Tensor x = *this;
  x.shape_ = shape;
  return x;
}

template <Scalar T>
Tensor<T> Tensor<T>::reshape(std::initializer_list<std::int64_t> sizes) const {
  std::int64_t known = 1;
  int unknown = 0;
  for (std::int64_t s : sizes) s == -1 ? void(++unknown) : void(known *= s);
  require(unknown <= 1, "reshape", "at most one size can be -1");
  if (unknown == 0) return reshape(Shape(sizes));
  require(known > 0 && size_ % known == 0, "reshape", "{} elements are not divisible by {}", size_, known);
  Shape shape;
  for (std::int64_t s : sizes) shape.push_back(s == -1 ? size_ / known : s);
  return reshape(shape);
}

template <Scalar T>
Tensor<T> Tensor<T>::clone() const {
  Tensor x(shape_);
  parallel_for(size_, elementwise_grain, [&](std::int64_t b, std::int64_t e) { std::copy(data_ + b, data_ + e, x.data_ + b); });
  return x;
}

template <Scalar T>
void Tensor<T>::stop_sharing() {
  *this = clone();
}

template <Scalar T>
void Tensor<T>::fill(T value) {
  if (storage_.use_count() > 1) *this = Tensor(shape_);  // the old elements need not be copied
  parallel_for(size_, elementwise_grain, [&](std::int64_t b, std::int64_t e) { std::fill(data_ + b, data_ + e, value); });
}

template <Scalar T>
void Tensor<T>::add(const Tensor& other) {
  require(shape_ == other.shape_, "add", "shapes do not match: {} and {}", shape_, other.shape_);
  T* to = data();
  parallel_for(size_, elementwise_grain, [&](std::int64_t b, std::int64_t e) {
    for_packs<RealOf<T>>(b, e, [&](auto at) { at.add(to, at.load(other.data_)); });
  });
}

template <Scalar T>
std::int64_t Tensor<T>::offset(std::initializer_list<std::int64_t> index) const {
  require(static_cast<int>(index.size()) == rank(), "tensor", "got {} indices for shape {}", index.size(), shape_);
  std::int64_t at = 0;
  int axis = 0;
  for (std::int64_t i : index) {
    const std::int64_t n = shape_[axis];
    require(i >= 0 && i < n, "tensor", "index {} is out of range for axis {} of {}", i, axis, shape_);
    at = at * n + i;
    ++axis;
  }
  return at;
}

template <Scalar T>
template <Scalar U>
Tensor<U> Tensor<T>::reinterpret(const Shape& shape) const {
  const std::int64_t mine = size_ * static_cast<std::int64_t>(sizeof(T)),
                     wanted = shape.size() * static_cast<std::int64_t>(sizeof(U));
  require(mine == wanted, "reinterpret", "{} of {} has {} bytes, but {} of {} needs {}", shape_, scalar_name<T>(), mine, shape,
          scalar_name<U>(), wanted);
  Tensor<U> x;
  x.shape_ = shape;
  x.size_ = shape.size();
  x.storage_ = storage_;
  x.data_ = reinterpret_cast<U*>(data_);  // std::complex<R> is layout-compatible with R[2] ([complex.numbers])
  return x;
}

template <RealScalar R>
Tensor<R> as_real(const Tensor<std::complex<R>>& z) {
  Shape shape = z.shape();
  require(shape.rank() > 0, "as_real", "a scalar has no last axis to widen");
  shape[-1] *= 2;
  return z.template reinterpret<R>(shape);
}

template <RealScalar R>
Tensor<std::complex<R>> as_complex(const Tensor<R>& x) {
  Shape shape = x.shape();
  require(shape.rank() > 0 && shape[-1] % 2 == 0, "as_complex", "the last axis holds pairs, so its size must be even, got {}",
          shape);
  shape[-1] /= 2;
  return x.template reinterpret<std::complex<R>>(shape);
}

namespace {

template <Scalar T>
std::string digits_of(T x) {
  if constexpr (ComplexScalar<T>) return fmt::format("{:.6g}{:+.6g}i", x.real(), x.imag());
  if constexpr (RealScalar<T>) return fmt::format("{:.6g}", x);
}

template <Scalar T>
void print(std::string& text, const Tensor<T>& x, int axis, std::int64_t offset, std::int64_t step) {
  if (axis == x.rank()) {
    text += digits_of(x.data()[offset]);
    return;
  }
  constexpr std::int64_t shown = 6;
  const std::int64_t n = x.dim(axis), inner = n > 0 ? step / n : 0;
  text += "[";
  for (std::int64_t i = 0; i < n; ++i) {
    if (n > shown && i == shown / 2) {
      text += ", ...";
      i = n - shown / 2;
    }
    if (i > 0) text += axis + 1 < x.rank() ? ",\n" + std::string(static_cast<std::size_t>(axis) + 1, ' ') : ", ";
    print(text, x, axis + 1, offset + i * inner, inner);
  }
  text += "]";
}

}  // namespace

template <Scalar T>
std::string to_string(const Tensor<T>& x) {
  std::string text;
  print(text, x, 0, 0, x.size());
  return text;
}

template <Scalar T>
std::ostream& operator<<(std::ostream& out, const Tensor<T>& x) {
  return out << to_string(x);
}

Ids::Ids(const Shape& shape, std::vector<value_type> values) : shape_(shape), values_(std::move(values)) {
  require(shape.size() == size(), "ids", "{} takes {} ids, got {}", shape, shape.size(), size());
}

void Ids::check_below(std::int64_t limit, std::string_view op) const {
  for (std::int64_t i = 0; i < size(); ++i) {
    const value_type id = (*this)[i];
    if (id >= 0 && id < limit) continue;
    std::string at;
    const auto strides = strides_of(shape_);
    std::int64_t rest = i;
    for (int axis = 0; axis < shape_.rank(); ++axis) {
      const std::int64_t step = strides[static_cast<std::size_t>(axis)];
      at += fmt::format("{}{}", axis > 0 ? ", " : "", rest / step);
      rest %= step;
    }
    fail(op, "id {} at [{}] is outside the vocabulary of {}", id, at, limit);
  }
}

#define ARGAND_TENSOR(T)                            \
  template class Tensor<T>;                         \
  template std::string to_string(const Tensor<T>&); \
  template std::ostream& operator<<(std::ostream&, const Tensor<T>&);
ARGAND_FOR_SCALAR(ARGAND_TENSOR)
#define ARGAND_TENSOR_PAIRS(R)                                                    \
  template Tensor<R> as_real(const Tensor<std::complex<R>>&);                     \
  template Tensor<std::complex<R>> as_complex(const Tensor<R>&);                  \
  template Tensor<R> Tensor<std::complex<R>>::reinterpret<R>(const Shape&) const; \
  template Tensor<std::complex<R>> Tensor<R>::reinterpret<std::complex<R>>(const Shape&) const;
ARGAND_FOR_REAL(ARGAND_TENSOR_PAIRS)

}  // namespace argand
