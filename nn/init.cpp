#include "nn/init.h"

#include <algorithm>

namespace argand {

Fans fans_of(const Shape& weight) {
  require(weight.rank() >= 2 && weight.size() > 0, "init", "expects a weight [out, in] or [out, in, kernel...], got {}", weight);
  const double kernel = static_cast<double>(weight.size()) / static_cast<double>(weight[0] * weight[1]);
  return {static_cast<double>(weight[1]) * kernel, static_cast<double>(weight[0]) * kernel};
}

template <Scalar T>
Tensor<T> random_unitary(const Shape& shape, const Random& random) {
  require(shape.rank() == 2, "random_unitary", "expects the shape of a matrix, got {}", shape);
  // Orthonormalises the rows of a random wide matrix [m, n]; a tall result is its transpose.
  const std::int64_t m = std::min(shape[0], shape[1]), n = std::max(shape[0], shape[1]);
  Tensor<T> rows = randn<T>({m, n}, random);
  T* q = rows.data();
  for (std::int64_t i = 0; i < m; ++i) {
    T* row = q + i * n;
    for (int once_more = 0; once_more < 2; ++once_more)
      for (std::int64_t k = 0; k < i; ++k) {
        T along = 0;
        for (std::int64_t j = 0; j < n; ++j) along += conj_mul(q[k * n + j], row[j]);
        for (std::int64_t j = 0; j < n; ++j) row[j] -= mul(along, q[k * n + j]);
      }
    RealOf<T> square = 0;
    for (std::int64_t j = 0; j < n; ++j) square += abs2_of(row[j]);
    for (std::int64_t j = 0; j < n; ++j) row[j] /= std::sqrt(square);
  }
  if (shape[0] == m) return rows;
  Tensor<T> columns(shape);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) columns.data()[j * m + i] = q[i * n + j];
  return columns;
}

#define ARGAND_RANDOM_UNITARY(T) template Tensor<T> random_unitary(const Shape&, const Random&);
ARGAND_FOR_SCALAR(ARGAND_RANDOM_UNITARY)

}  // namespace argand
