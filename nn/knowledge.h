#pragma once
/// The knowledge base that reflection windows and their baselines search.

#include <algorithm>
#include <functional>
#include <vector>

#include "core/nearest.h"

namespace argand {

/// Passages of text and how to search them. Must outlive the passes that use it; a cache kept during generation is tied to the
/// address of the passages.
struct Knowledge {
  const Ids* passages = nullptr;           ///< [P, L], token ids
  std::vector<const RowIndex*> indexes{};  ///< indexes of the encodings, one per reflection window; empty: exact search
  /// Parameter-free search by the tokens of whole chunks [N, m], with the contract of nearest_rows(): k passages for each [N, k],
  /// best first, none of them excluded. Null for models that do not retrieve by chunk.
  std::function<Ids(const Ids& chunks, std::int64_t k, std::span<const RowRange> excluded)> search{};
  /// Called with the results of every search before the model reads them: [B·T, k] from a window, [B·U, k] from a search by chunk.
  /// May replace passages, to measure what retrieval contributes. If null, the results are used as found.
  std::function<void(Ids& chosen)> exchange{};
  /// Called in every pass with the passages to read: [B·T, k] by every window, or [B·U, k] once for all chunks; for audits. May be
  /// null.
  std::function<void(const Ids& chosen)> watch{};
  /// Called by every retrieving layer with the passages [B·T, k], -1 where a token reads none, their weights β [B·T, k] and the
  /// token's gates g [B·T, n] (n = 0 without a gate); for observers.
  std::function<void(const Ids& chosen, const Tensor<double>& weights, const Tensor<double>& gates)> watch_reading{};
};

/// Chunks are half as long as passages [P, L]: a passage consists of a text to compare with a chunk, followed by its continuation.
inline std::int64_t chunk_length(const Ids& passages) { return std::max<std::int64_t>(1, passages.shape()[1] / 2); }

}  // namespace argand
