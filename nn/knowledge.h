#pragma once
/// What reflection windows look things up in.

#include <functional>
#include <vector>

#include "core/nearest.h"

namespace argand {

/// Passages of text, and how they are searched. It must outlive the passes that use it.
struct Knowledge {
  const Ids* passages = nullptr;           ///< [P, L], token ids
  std::vector<const RowIndex*> indexes{};  ///< over their encodings, one a reflection window; empty: exact search among fresh ones
  /// Called by every window of every pass with the passages that it reads, [B·T, k]; for those who audit. Null: nobody does.
  std::function<void(const Ids& chosen)> watch{};
  /// Called likewise, with the weights β [B·T, k] of what was read and the gates g [B·T, n] that it passed; for those who look on.
  std::function<void(const Ids& chosen, const Tensor<double>& weights, const Tensor<double>& gates)> watch_reading{};
};

}  // namespace argand
