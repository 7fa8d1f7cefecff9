#include "core/nearest.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/gemm.h"
#include "core/kernels/pack.h"
#include "core/parallel.h"

namespace argand {
namespace {

constexpr std::int64_t query_tile = 32, row_tile = 1024, block = 64;

/// The k best of the rows seen so far, best first.
template <RealScalar R>
class Best {
 public:
  explicit Best(std::int64_t k) : scores_(static_cast<std::size_t>(k)), rows_(static_cast<std::size_t>(k)) {}

  void clear() { count_ = 0; }
  /// Rows come in ascending order, so an equal score never displaces an earlier one.
  void offer(R score, std::int64_t row) {
    if (!(score > lowest)) score = lowest;  // NaN counts as the lowest score
    const std::size_t k = scores_.size();
    if (count_ == k && !(score > scores_[k - 1])) return;
    std::size_t at = count_ < k ? count_++ : k - 1;
    for (; at > 0 && score > scores_[at - 1]; --at) scores_[at] = scores_[at - 1], rows_[at] = rows_[at - 1];
    scores_[at] = score, rows_[at] = static_cast<Ids::value_type>(row);
  }
  void offer(const R* scores, std::int64_t first_row, std::int64_t n) {
    for (std::int64_t from = 0; from < n; from += block) {
      const std::int64_t to = std::min(n, from + block);
      if (count_ == scores_.size()) {
        // Most blocks contain no better row than those found so far: one comparison of packs skips them.
        const Pack<R> bar(scores_.back());
        auto better = bar > bar;  // false in every lane
        for_packs<R>(from, to, [&](auto at) { better = better | (at.fill_tail(at.load(scores), lowest) > bar); });
        if (!any(better)) continue;
      }
      for (std::int64_t j = from; j < to; ++j) offer(scores[j], first_row + j);
    }
  }
  const std::vector<Ids::value_type>& rows() const { return rows_; }

 private:
  static constexpr R lowest = -std::numeric_limits<R>::infinity();
  std::vector<R> scores_;
  std::vector<Ids::value_type> rows_;
  std::size_t count_ = 0;
};

}  // namespace

void require_candidates(std::int64_t N, std::int64_t P, std::int64_t k, std::span<const RowRange> excluded) {
  const auto groups = static_cast<std::int64_t>(excluded.size());
  require(groups == 0 || N % groups == 0, "nearest", "the number of excluded ranges, {}, does not divide the number of queries, {}",
          groups, N);
  require(k >= 1 && k <= P, "nearest", "cannot choose {} of {} rows", k, P);
  for (const RowRange& range : excluded) {
    require(range.first >= 0 && range.first <= range.last && range.last <= P, "nearest",
            "the excluded rows [{}, {}) are out of range for {} rows", range.first, range.last, P);
    require(P - range.size() >= k, "nearest", "cannot choose {} of {} rows when {} of them are excluded", k, P, range.size());
  }
}

template <RealScalar R>
Ids nearest_rows(const Tensor<R>& queries, const Tensor<R>& rows, std::int64_t k, std::span<const RowRange> excluded) {
  require(queries.rank() == 2 && rows.rank() == 2 && queries.dim(1) == rows.dim(1), "nearest",
          "expects queries [N, r] and rows [P, r], got {} and {}", queries.shape(), rows.shape());
  const std::int64_t N = queries.dim(0), P = rows.dim(0), r = rows.dim(1);
  require_candidates(N, P, k, excluded);
  const std::int64_t group = excluded.empty() ? std::max<std::int64_t>(1, N) : N / static_cast<std::int64_t>(excluded.size());
  Ids found(Shape{N, k});
  parallel_for(N, query_tile, [&](std::int64_t begin, std::int64_t end) {
    std::vector<R> scores(query_tile * row_tile);
    std::vector<Best<R>> best(query_tile, Best<R>(k));
    for (std::int64_t q0 = begin; q0 < end; q0 += query_tile) {
      const std::int64_t count = std::min(query_tile, end - q0);
      for (Best<R>& b : best) b.clear();
      for (std::int64_t p0 = 0; p0 < P; p0 += row_tile) {
        const std::int64_t columns = std::min(row_tile, P - p0);
        gemm<R>(Transpose::No, Transpose::Yes, count, columns, r, 1, queries.data() + q0 * r, r, rows.data() + p0 * r, r, 0,
                scores.data(), row_tile);
        for (std::int64_t i = 0; i < count; ++i) {
          Best<R>& b = best[static_cast<std::size_t>(i)];
          const RowRange out = excluded.empty() ? RowRange{P, P} : excluded[static_cast<std::size_t>((q0 + i) / group)];
          const std::int64_t before = std::clamp<std::int64_t>(out.first - p0, 0, columns);
          const std::int64_t after = std::clamp<std::int64_t>(out.last - p0, before, columns);
          b.offer(scores.data() + i * row_tile, p0, before);
          b.offer(scores.data() + i * row_tile + after, p0 + after, columns - after);
        }
      }
      for (std::int64_t i = 0; i < count; ++i)
        std::copy_n(best[static_cast<std::size_t>(i)].rows().data(), k, found.data() + (q0 + i) * k);
    }
  });
  return found;
}

template Ids nearest_rows(const Tensor<float>&, const Tensor<float>&, std::int64_t, std::span<const RowRange>);
template Ids nearest_rows(const Tensor<double>&, const Tensor<double>&, std::int64_t, std::span<const RowRange>);

}  // namespace argand
