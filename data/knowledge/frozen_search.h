#pragma once
/// Search without learned parameters: finds passages that share tokens with a chunk of text, by BM25.

#include <memory>

#include "core/nearest.h"
#include "data/knowledge/bm25.h"

namespace argand {

/// BM25 scores of a chunk's tokens, matched against the first `key` tokens of each passage. Copies share the index.
class FrozenSearch {
 public:
  /// passages [P, L], 1 <= key <= L.
  FrozenSearch(const Ids& passages, std::int64_t key);

  /// chunks [N, m] -> [N, k]: for each chunk, the k passages with the largest scores, largest first, ties by lower index.
  /// `excluded` and errors are the same as in nearest_rows(): excluded passages are not candidates.
  Ids operator()(const Ids& chunks, std::int64_t k, std::span<const RowRange> excluded) const;

 private:
  std::int64_t P_;
  std::shared_ptr<const Bm25> bm25_;
};

}  // namespace argand
