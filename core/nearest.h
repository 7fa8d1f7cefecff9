#pragma once
/// Search for the rows of a matrix most similar to a query by dot product: exact search, and the interface of approximate indexes.

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

/// queries [N, r], rows [P, r] -> the indices [N, k] of the k rows with the largest dot products for each query, largest first;
/// ties go to the lower index. Compares with all rows, a tile at a time, in parallel; the result is the same for any number of
/// threads. NaN counts as the smallest value.
///
/// `excluded` holds one range for each of G equal groups of consecutive queries (the rows of a batch), or is empty. Rows in a
/// query's range are not candidates: they are removed before the search, not filtered from its result. Throws `nearest: ...` when G
/// does not divide N, or when fewer than k candidates are left.
template <RealScalar R>
Ids nearest_rows(const Tensor<R>& queries, const Tensor<R>& rows, std::int64_t k, std::span<const RowRange> excluded = {});

/// Throws unless k of the P rows are left for every group: the check that all searches share.
void require_candidates(std::int64_t N, std::int64_t P, std::int64_t k, std::span<const RowRange> excluded);

/// x rounded to float, the precision of an index.
template <RealScalar R>
Tensor<float> in_float(const Tensor<R>& x) {
  Tensor<float> y(x.shape());
  std::transform(x.begin(), x.end(), y.begin(), [](R v) { return static_cast<float>(v); });
  return y;
}

/// An index over rows, possibly approximate: some of the k rows may differ from those of nearest_rows.
class RowIndex {
 public:
  virtual ~RowIndex() = default;
  /// Like nearest_rows: always returns k different rows per query, none of them excluded.
  virtual Ids nearest(const Tensor<float>& queries, std::int64_t k, std::span<const RowRange> excluded) const = 0;
};

}  // namespace argand
