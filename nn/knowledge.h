#pragma once
/// The knowledge base that reflection windows, and the models compared with them, search.

#include <algorithm>
#include <functional>
#include <vector>

#include "core/nearest.h"

namespace argand {

/// Passages of text and how to search them. It must outlive the passes that use it; what is cached of a text being generated
/// belongs to the passages at that address.
struct Knowledge {
  const Ids* passages = nullptr;           ///< [P, L], token ids
  std::vector<const RowIndex*> indexes{};  ///< over their encodings, one per reflection window; empty: exact search of fresh ones
  /// Parameter-free search by the words of whole chunks [N, m], with nearest_rows' contract: k passages for each [N, k], best
  /// first, none of them excluded. Null: none, as for models that do not retrieve by chunk.
  std::function<Ids(const Ids& chunks, std::int64_t k, std::span<const RowRange> excluded)> search{};
  /// Called with the result of every search, [B·T, k], or once per pass [B·U, k], before it is read, and may replace passages, to
  /// measure what retrieval is worth. Null: the results are read as found.
  std::function<void(Ids& chosen)> exchange{};
  /// Called by every window in every pass with the passages that it reads, [B·T, k], or once per pass with those of its chunks
  /// [B·U, k]; for audits. Null: none.
  std::function<void(const Ids& chosen)> watch{};
  /// Called by every layer that reads with the passages [B·T, k], -1 where a token reads none, the weights β [B·T, k] of what was
  /// read and the gates g [B·T, n] applied to it (n = 0 without a gate); for observers.
  std::function<void(const Ids& chosen, const Tensor<double>& weights, const Tensor<double>& gates)> watch_reading{};
};

/// Chunks are half as long as passages [P, L]: a passage holds the text a chunk is compared with and its continuation.
inline std::int64_t chunk_length(const Ids& passages) { return std::max<std::int64_t>(1, passages.shape()[1] / 2); }

}  // namespace argand
