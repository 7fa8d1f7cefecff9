#pragma once
/// The rows of a matrix that are most like a query, by dot product: exactly, and what an approximate index must offer instead.

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/tensor.h"

namespace argand {

/// Rows first, ..., last - 1.
struct RowRange {
  std::int64_t first = 0, last = 0;
  std::int64_t size() const { return last - first; }
  bool contains(std::int64_t row) const { return row >= first && row < last; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// queries [N, r], rows [P, r] -> the numbers of the k rows with the largest dot products for each query [N, k], the largest first;
/// among equals the lower number. Compares with all rows, a tile at a time, in parallel; the result is the same for any number of
/// threads. NaN counts as the smallest number.
///
/// `excluded` holds one range for each of G equal groups of consecutive queries (a batch's rows), or none at all. Rows of a
/// query's range are not candidates: they are taken out before the search, not filtered from its result.
/// Throws `nearest: ...` when G does not divide N, or when fewer than k candidates are left.
template <RealScalar R>
Ids nearest_rows(const Tensor<R>& queries, const Tensor<R>& rows, std::int64_t k, std::span<const RowRange> excluded = {});

/// Throws unless every group has k of P rows left: what any search demands of its arguments.
void require_candidates(std::int64_t N, std::int64_t P, std::int64_t k, std::span<const RowRange> excluded);

/// The numbers in the precision of an index.
template <RealScalar R>
Tensor<float> in_float(const Tensor<R>& x) {
  Tensor<float> y(x.shape());
  std::transform(x.begin(), x.end(), y.begin(), [](R v) { return static_cast<float>(v); });
  return y;
}

/// An index over rows, possibly approximate: some of the k rows may be others than nearest_rows would find.
class RowIndex {
 public:
  virtual ~RowIndex() = default;
  /// As nearest_rows: always k different rows a query, none of them excluded.
  virtual Ids nearest(const Tensor<float>& queries, std::int64_t k, std::span<const RowRange> excluded) const = 0;
};

}  // namespace argand
