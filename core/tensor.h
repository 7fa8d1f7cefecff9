#pragma once
/// Tensor<T>: a dense row-major array of float, double, complex<float> or complex<double>.
///
/// A tensor is a value, like an int: changing one never changes another. Copies are cheap: they share storage until one of them is
/// written to; that one then gets its own (copy on write). So the tape keeps the inputs of a gradient without copying, and no later
/// write can change them. Two rules follow, both known from std::vector:
///   - a pointer or span is valid as long as its tensor: x.grad().data() dangles at the end of the statement, as do the elements of
///   any result that is not kept; and a pointer for writing is valid until the tensor is next copied, reshaped or used in an op:
///     call data() again afterwards;
///   - several threads may read a tensor, or write to it through one pointer, but call data() before they start.
/// There are no strided views: kernels read contiguous data.

#include <atomic>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/scalar.h"
#include "core/shape.h"

namespace argand {

template <Scalar T>
class Tensor {
 public:
  using value_type = T;

  /// No elements, shape [0].
  Tensor();
  Tensor(const Tensor&);
  Tensor& operator=(const Tensor&);
  /// Leaves `other` empty.
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();
  /// Uninitialised elements.
  explicit Tensor(const Shape& shape);
  /// Elements in row-major order. Throws when their count is not shape.size().
  Tensor(const Shape& shape, std::span<const T> values);
  Tensor(const Shape& shape, std::initializer_list<T> values) : Tensor(shape, std::span<const T>(values.begin(), values.size())) {}

  static Tensor zeros(const Shape& shape) { return full(shape, T(0)); }
  static Tensor ones(const Shape& shape) { return full(shape, T(1)); }
  static Tensor full(const Shape& shape, T value);
  static Tensor scalar(T value) { return full(Shape{}, value); }

  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  std::int64_t dim(int axis) const { return shape_[axis]; }
  std::int64_t size() const { return size_; }

  /// The elements, for writing; makes this tensor the only owner of its storage.
  T* data() {
    if (storage_.use_count() > 1) stop_sharing();
    // use_count() is a relaxed load. The fence orders another thread's reads, made before it released its copy, before our writes.
    std::atomic_thread_fence(std::memory_order_acquire);
    return data_;
  }
  const T* data() const { return data_; }
  /// Deleted for temporaries, whose elements would be freed before they are read: keep the tensor first.
  std::span<T> span() & { return {data(), static_cast<std::size_t>(size_)}; }
  std::span<const T> span() const& { return {data_, static_cast<std::size_t>(size_)}; }
  std::span<const T> span() const&& = delete;
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  /// One element, bounds-checked: x(1, 2).
  template <std::integral... Index>
  T& operator()(Index... index) {
    return data()[offset({static_cast<std::int64_t>(index)...})];
  }
  template <std::integral... Index>
  const T& operator()(Index... index) const {
    return data_[offset({static_cast<std::int64_t>(index)...})];
  }
  /// The only element. Throws unless there is exactly one.
  T item() const;

  /// The same elements in another shape; one size may be -1. Throws when the counts differ.
  Tensor reshape(const Shape& shape) const;
  Tensor reshape(std::initializer_list<std::int64_t> sizes) const;
  Tensor clone() const;
  void fill(T value);
  /// this += other, of the same shape.
  void add(const Tensor& other);

  /// Whether the two share storage.
  bool shares_storage_with(const Tensor& other) const { return storage_ != nullptr && storage_ == other.storage_; }

  /// The storage viewed as another scalar type (complex <-> pairs of reals); the byte counts must agree.
  template <Scalar U>
  Tensor<U> reinterpret(const Shape& shape) const;

 private:
  template <Scalar>
  friend class Tensor;
  std::int64_t offset(std::initializer_list<std::int64_t> index) const;
  void stop_sharing();

  Shape shape_ = Shape::empty();
  std::int64_t size_ = 0;
  std::shared_ptr<void> storage_;
  T* data_ = nullptr;
};

/// complex [..., n] -> real [..., 2n], interleaved (re, im), without a copy.
template <RealScalar R>
Tensor<R> as_real(const Tensor<std::complex<R>>& z);
/// real [..., 2n], interleaved -> complex [..., n], without a copy. Throws when the last size is odd.
template <RealScalar R>
Tensor<std::complex<R>> as_complex(const Tensor<R>& x);

/// For printing: nested brackets, six digits, long axes elided. fmt::print("{}", x) and std::cout << x print the same.
template <Scalar T>
std::string to_string(const Tensor<T>& x);
template <Scalar T>
std::ostream& operator<<(std::ostream& out, const Tensor<T>& x);

/// Token ids: a separate integer type, never a tensor. Row-major, such as [B, T].
class Ids {
 public:
  using value_type = std::int32_t;

  Ids() = default;
  explicit Ids(const Shape& shape) : shape_(shape), values_(static_cast<std::size_t>(shape.size())) {}
  Ids(const Shape& shape, std::vector<value_type> values);

  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }
  value_type* data() { return values_.data(); }
  const value_type* data() const { return values_.data(); }
  /// In row-major order, unchecked.
  value_type& operator[](std::int64_t i) { return values_[static_cast<std::size_t>(i)]; }
  value_type operator[](std::int64_t i) const { return values_[static_cast<std::size_t>(i)]; }
  std::span<const value_type> span() const { return values_; }
  /// Throws `op: id 9 at [0, 3] is outside the vocabulary of 8` for the first id outside [0, limit).
  void check_below(std::int64_t limit, std::string_view op) const;

 private:
  Shape shape_{0};
  std::vector<value_type> values_;
};

/// Pads shorter rows: an id that belongs to no text and is never looked up.
inline constexpr Ids::value_type pad_id = 0;

}  // namespace argand

// <fmt/ranges.h>, if it is also included, must not treat a tensor as a range.
FMT_BEGIN_NAMESPACE
template <typename T, typename Char>
struct is_range;
FMT_END_NAMESPACE
template <argand::Scalar T>
struct fmt::is_range<argand::Tensor<T>, char> : std::false_type {};

template <argand::Scalar T>
struct fmt::formatter<argand::Tensor<T>> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const argand::Tensor<T>& x, Context& context) const {
    return fmt::format_to(context.out(), "{}", argand::to_string(x));
  }
};
