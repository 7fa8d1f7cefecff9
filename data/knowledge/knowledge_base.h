#pragma once
/// Passages cut from a text, for retrieval models, and the passages that overlap a given window of that text.

#include <cstdint>
#include <vector>

#include "core/nearest.h"
#include "core/random.h"

namespace argand {

/// P passages of L tokens each, in text order.
class KnowledgeBase {
 public:
  /// Cuts the whole text into consecutive passages, dropping an incomplete last one. Throws Error if the text [N] is shorter than a
  /// passage, or if L < 1.
  static KnowledgeBase whole(const Ids& text, std::int64_t L);
  /// Cuts `count` passages, one from a random position in each of `count` equal parts of the text, so that they are evenly spread
  /// and a window can overlap only a few. Throws Error if the text has too few positions.
  static KnowledgeBase drawn(const Ids& text, std::int64_t L, std::int64_t count, const Random& random);

  const Ids& passages() const { return passages_; }  ///< [P, L]
  std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()); }
  std::int64_t length() const { return length_; }
  /// The position in the text where passage p begins.
  std::int64_t start(std::int64_t p) const { return starts_.at(static_cast<std::size_t>(p)); }

  /// The passages that overlap tokens first, ..., last - 1 of the text.
  RowRange overlapping(std::int64_t first, std::int64_t last) const;
  /// An upper bound on how many of P passages of L tokens a window of `window` tokens can overlap in a text of N tokens.
  static std::int64_t most_overlapping(std::int64_t N, std::int64_t L, std::int64_t P, std::int64_t window);

 private:
  KnowledgeBase(const Ids& text, std::vector<std::int64_t> starts, std::int64_t L);

  std::vector<std::int64_t> starts_;  ///< in ascending order
  std::int64_t length_;
  Ids passages_;
};

}  // namespace argand
