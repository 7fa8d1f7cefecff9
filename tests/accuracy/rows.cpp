#include "tests/accuracy/rows.h"

#include "tests/accuracy/inputs.h"

namespace accuracy {

template <Scalar T>
Tensor<T> small_numbers(const argand::Shape& shape, std::uint64_t stream, RealOf<T> bound) {
  return argand::rand<T>(shape, argand::Random(2026, stream), -bound, bound);
}

template <Scalar T>
Tensor<T> rows_of(std::int64_t n, RealOf<T> factor, std::uint64_t stream) {
  using R = RealOf<T>;
  Tensor<T> sizes;
  if constexpr (ComplexScalar<T>)
    sizes = complex_numbers<R>(Range::Ordinary, stream);
  else
    sizes = real_numbers<R>(Range::Ordinary, stream);
  const Tensor<T> near = small_numbers<T>({n}, stream + 1), logits = small_numbers<T>({n}, stream + 2, R(10));
  Tensor<T> rows(argand::Shape{3, n});
  for (std::int64_t i = 0; i < n; ++i) {
    rows(0, i) = sizes.data()[i] * factor;
    rows(1, i) = (T(R(100)) + near.data()[i]) * factor;
    rows(2, i) = logits.data()[i] * factor;
  }
  return rows;
}

template <Scalar T>
std::vector<Tensor<T>> single_rows(std::int64_t n, RealOf<T> factor) {
  const Tensor<T> all = rows_of<T>(n, factor);
  std::vector<Tensor<T>> rows;
  for (std::int64_t row = 0; row < 3; ++row) rows.emplace_back(argand::Shape{1, n}, std::as_const(all).span().subspan(row * n, n));
  return rows;
}

#define ACCURACY_ROWS(T)                                                               \
  template Tensor<T> small_numbers<T>(const argand::Shape&, std::uint64_t, RealOf<T>); \
  template Tensor<T> rows_of<T>(std::int64_t, RealOf<T>, std::uint64_t);               \
  template std::vector<Tensor<T>> single_rows<T>(std::int64_t, RealOf<T>);
ARGAND_FOR_SCALAR(ACCURACY_ROWS)

}  // namespace accuracy
