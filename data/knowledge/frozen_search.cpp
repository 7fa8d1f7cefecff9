#include "data/knowledge/frozen_search.h"

#include <numeric>

#include "core/parallel.h"

namespace argand {

FrozenSearch::FrozenSearch(const Ids& passages, std::int64_t key) : P_(passages.shape()[0]) {
  const std::int64_t L = passages.shape()[1];
  require(key >= 1 && key <= L, "knowledge", "cannot search passages of {} tokens by their first {}", L, key);
  std::vector<std::vector<Bm25::Id>> keys;
  for (std::int64_t p = 0; p < P_; ++p) keys.emplace_back(passages.data() + p * L, passages.data() + p * L + key);
  bm25_ = std::make_shared<const Bm25>(keys);
}

Ids FrozenSearch::operator()(const Ids& chunks, std::int64_t k, std::span<const RowRange> excluded) const {
  const std::int64_t N = chunks.shape()[0], m = chunks.shape()[1];
  require_candidates(N, P_, k, excluded);
  Ids found(Shape{N, k});
  Ids::value_type* const to = found.data();
  parallel_for(N, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Ids::value_type> candidates;
    for (std::int64_t n = begin; n < end; ++n) {
      const std::vector<float> scores = bm25_->scores({chunks.data() + n * m, static_cast<std::size_t>(m)});
      const RowRange hidden =
          excluded.empty() ? RowRange{} : excluded[static_cast<std::size_t>(n * static_cast<std::int64_t>(excluded.size()) / N)];
      candidates.resize(static_cast<std::size_t>(P_));
      std::iota(candidates.begin(), candidates.end(), 0);
      std::erase_if(candidates, [&](auto p) { return hidden.contains(p); });
      const auto better = [&](auto a, auto b) {
        const float x = scores[static_cast<std::size_t>(a)], y = scores[static_cast<std::size_t>(b)];
        return x != y ? x > y : a < b;
      };
      std::partial_sort(candidates.begin(), candidates.begin() + k, candidates.end(), better);
      std::copy_n(candidates.begin(), k, to + n * k);
    }
  });
  return found;
}

}  // namespace argand
