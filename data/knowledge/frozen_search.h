#pragma once
/// A search that does not learn: passages that share words with a chunk of text, by BM25.

#include <memory>

#include "core/nearest.h"
#include "data/knowledge/bm25.h"

namespace argand {

/// BM25 of a chunk's tokens among the first `key` tokens of every passage. Copies share what was counted.
class FrozenSearch {
 public:
  /// passages [P, L], 1 <= key <= L.
  FrozenSearch(const Ids& passages, std::int64_t key);

  /// chunks [N, m] -> the k passages of each with the largest scores [N, k], the largest first; among equals the lower number.
  /// `excluded` and what is thrown are as of nearest_rows(): excluded passages are not candidates.
  Ids operator()(const Ids& chunks, std::int64_t k, std::span<const RowRange> excluded) const;

 private:
  std::int64_t P_;
  std::shared_ptr<const Bm25> bm25_;
};

}  // namespace argand
