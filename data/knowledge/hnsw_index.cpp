#include "data/knowledge/hnsw_index.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "core/kernels/pack.h"
#include "core/parallel.h"

#if !defined(ARGAND_NO_HNSW) && __has_include(<hnswlib/hnswlib.h>)
#define ARGAND_HNSW
// The intrinsics of hnswlib 0.6 prefetch one link past the end of a node's list.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>
#endif

namespace argand {

#ifdef ARGAND_HNSW

namespace {

// Recall@5 of token queries over the 32 637 passages of WikiText-2: 0.83, 0.92 and 0.96 in the first three training steps of CRAT
// (printed by `argand train`), but 0.77, 0.86 and 0.87 with 80 candidates and without the Euclidean transformation below.
constexpr std::size_t links = 16;       ///< per node
constexpr std::size_t inserting = 100;  ///< candidates when inserting a node
constexpr std::size_t searching = 200;  ///< candidates when answering a query
/// With this many excluded rows or more, most of the graph's results would be excluded.
constexpr std::int64_t many_excluded = 500;

/// |x - y|² for vectors of length `width`.
class SquaredDistance final : public hnswlib::SpaceInterface<float> {
 public:
  explicit SquaredDistance(std::size_t width) : width_(width) {}
  std::size_t get_data_size() override { return width_ * sizeof(float); }
  void* get_dist_func_param() override { return &width_; }
  hnswlib::DISTFUNC<float> get_dist_func() override {
    return [](const void* a, const void* b, const void* width) {
      const float* x = static_cast<const float*>(a);
      const float* y = static_cast<const float*>(b);
      const auto n = static_cast<std::int64_t>(*static_cast<const std::size_t*>(width));
      return pack_sum<float>(0, n, [=](auto at) {
        const Pack<float> d = at.load(x) - at.load(y);
        return d * d;
      });
    };
  }

 private:
  std::size_t width_;
};

}  // namespace

bool have_hnsw() { return true; }

/// The graph needs distances, but a dot product is not one. Rows x are extended by sqrt(M² - |x|²), where M is the length of the
/// longest row, and queries by 0. Then |q - x|² = |q|² + M² - 2 q·x, and the nearest row is the one with the largest dot product
/// (Bachrach et al., "Speeding up the Xbox recommender system using a Euclidean transformation for inner-product spaces", RecSys
/// 2014).
struct HnswIndex::Graph {
  std::size_t width;
  SquaredDistance space;
  hnswlib::HierarchicalNSW<float> nodes;

  explicit Graph(const Tensor<float>& rows)
      : width(static_cast<std::size_t>(rows.dim(1)) + 1),
        space(width),
        nodes(&space, static_cast<std::size_t>(std::max<std::int64_t>(1, rows.dim(0))), links, inserting) {
    nodes.setEf(searching);
    const std::int64_t P = rows.dim(0), r = rows.dim(1);
    std::vector<double> squares(static_cast<std::size_t>(P));
    for (std::int64_t p = 0; p < P; ++p)
      for (std::int64_t c = 0; c < r; ++c)
        squares[static_cast<std::size_t>(p)] +=
            static_cast<double>(rows.data()[p * r + c]) * static_cast<double>(rows.data()[p * r + c]);
    const double longest = P > 0 ? *std::max_element(squares.begin(), squares.end()) : 0;
    // Sequential, because the graph depends on the order of insertion and must not depend on the number of threads.
    for (std::int64_t p = 0; p < P; ++p)
      nodes.addPoint(
          extended(rows.data() + p * r, static_cast<float>(std::sqrt(longest - squares[static_cast<std::size_t>(p)]))).data(),
          static_cast<std::size_t>(p));
  }
  /// The elements of a row or a query, extended by `last`.
  std::vector<float> extended(const float* x, float last) const {
    std::vector<float> y(x, x + width - 1);
    y.push_back(last);
    return y;
  }
};

#else

bool have_hnsw() { return false; }
struct HnswIndex::Graph {};

#endif

HnswIndex::~HnswIndex() = default;

HnswIndex::HnswIndex(Tensor<float> rows) : rows_(std::move(rows)) {
  require(rows_.rank() == 2, "hnsw", "rows must have shape [P, r], got {}", rows_.shape());
#ifdef ARGAND_HNSW
  graph_ = std::make_unique<Graph>(rows_);
#else
  fail("hnsw", "argand was built without hnswlib; install libhnswlib-dev and rebuild, or use exact search (`irw_index` exact)");
#endif
}

Ids HnswIndex::nearest(const Tensor<float>& queries, std::int64_t k, std::span<const RowRange> excluded) const {
#ifdef ARGAND_HNSW
  require(queries.rank() == 2 && queries.dim(1) == rows_.dim(1), "nearest", "expects queries [N, r] and rows [P, r], got {} and {}",
          queries.shape(), rows_.shape());
  const std::int64_t N = queries.dim(0), P = rows_.dim(0), r = rows_.dim(1);
  require_candidates(N, P, k, excluded);
  const std::int64_t group = excluded.empty() ? std::max<std::int64_t>(1, N) : N / static_cast<std::int64_t>(excluded.size());
  Ids found(Shape{N, k});
  parallel_for(N, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const RowRange out = excluded.empty() ? RowRange{} : excluded[static_cast<std::size_t>(n / group)];
      std::vector<std::pair<float, std::int64_t>> best;  // (squared distance, row)
      if (out.size() < many_excluded) {
        const auto wanted = static_cast<std::size_t>(std::min(P, k + out.size()));
        for (auto heap = graph_->nodes.searchKnn(graph_->extended(queries.data() + n * r, 0).data(), wanted); !heap.empty();
             heap.pop()) {
          const auto row = static_cast<std::int64_t>(heap.top().second);
          if (!out.contains(row)) best.emplace_back(heap.top().first, row);
        }
      }
      if (static_cast<std::int64_t>(best.size()) < k) {
        const Tensor<float> query(Shape{1, r}, std::span<const float>(queries.data() + n * r, static_cast<std::size_t>(r)));
        const Ids exact = nearest_rows(query, rows_, k, std::span<const RowRange>(&out, 1));
        std::copy_n(exact.data(), k, found.data() + n * k);
        continue;
      }
      std::sort(best.begin(), best.end());
      for (std::int64_t j = 0; j < k; ++j)
        found[n * k + j] = static_cast<Ids::value_type>(best[static_cast<std::size_t>(j)].second);
    }
  });
  return found;
#else
  return nearest_rows(queries, rows_, k, excluded);
#endif
}

double HnswIndex::recall(const Tensor<float>& queries, std::int64_t k, std::span<const RowRange> excluded) const {
  const Ids exact = nearest_rows(queries, rows_, k, excluded), found = nearest(queries, k, excluded);
  std::int64_t both = 0;
  for (std::int64_t n = 0; n < queries.dim(0); ++n) {
    const std::unordered_set<Ids::value_type> right(exact.data() + n * k, exact.data() + (n + 1) * k);
    both += std::count_if(found.data() + n * k, found.data() + (n + 1) * k, [&](auto row) { return right.contains(row); });
  }
  return static_cast<double>(both) / static_cast<double>(std::max<std::int64_t>(1, exact.size()));
}

}  // namespace argand
