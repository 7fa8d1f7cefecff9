#pragma once
/// What reflection windows, and the models that they are compared with, look things up in.

#include <algorithm>
#include <functional>
#include <vector>

#include "core/nearest.h"

namespace argand {

/// Passages of text, and how they are searched. It must outlive the passes that use it; what is cached of a text that is being
/// written belongs to the passages at that address.
struct Knowledge {
  const Ids* passages = nullptr;           ///< [P, L], token ids
  std::vector<const RowIndex*> indexes{};  ///< over their encodings, one a reflection window; empty: exact search among fresh ones
  /// A search without parameters, by the words of whole chunks [N, m], as of nearest_rows: k passages for each [N, k], the best
  /// first, none of them excluded. Null: there is none, as for models that do not retrieve by chunk.
  std::function<Ids(const Ids& chunks, std::int64_t k, std::span<const RowRange> excluded)> search{};
  /// Called with what every search has found, [B·T, k], or once a pass [B·U, k], before it is read, and may put other passages in
  /// its place; for those who ask what looking up is worth. Null: what is found is read.
  std::function<void(Ids& chosen)> exchange{};
  /// Called by every window of every pass with the passages that it reads, [B·T, k], or once a pass with those of its chunks
  /// [B·U, k]; for audits. Null: none.
  std::function<void(const Ids& chosen)> watch{};
  /// Called by every layer that reads, with the passages [B·T, k], or -1 where a token reads none, the weights β [B·T, k] of what
  /// was read and the gates g [B·T, n] that it passed, n = 0 where there is no gate; for those who look on.
  std::function<void(const Ids& chosen, const Tensor<double>& weights, const Tensor<double>& gates)> watch_reading{};
};

/// Chunks are half as long as passages [P, L]: a passage is what a chunk is compared with, and what followed it.
inline std::int64_t chunk_length(const Ids& passages) { return std::max<std::int64_t>(1, passages.shape()[1] / 2); }

}  // namespace argand
