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
  /// Cuts the whole text end to end, dropping an incomplete last passage. Throws Error when the text [N] is shorter than a passage,
  /// or L < 1.
  static KnowledgeBase whole(const Ids& text, std::int64_t L);
  /// `count` passages, one from a random position in each of `count` equal parts of the text: evenly spread, so that a window can
  /// overlap only a few. Throws Error when the text has too few positions.
  static KnowledgeBase drawn(const Ids& text, std::int64_t L, std::int64_t count, const Random& random);

  const Ids& passages() const { return passages_; }  ///< [P, L]
  std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()); }
  std::int64_t length() const { return length_; }
  /// Where passage p begins in the text.
  std::int64_t start(std::int64_t p) const { return starts_.at(static_cast<std::size_t>(p)); }

  /// The passages that overlap the text's tokens first, ..., last - 1.
  RowRange overlapping(std::int64_t first, std::int64_t last) const;
  /// The largest number of P passages of L tokens that a window of `window` tokens can overlap, anywhere in a text of N tokens.
  static std::int64_t most_overlapping(std::int64_t N, std::int64_t L, std::int64_t P, std::int64_t window);

 private:
  KnowledgeBase(const Ids& text, std::vector<std::int64_t> starts, std::int64_t L);

  std::vector<std::int64_t> starts_;  ///< ascending
  std::int64_t length_;
  Ids passages_;
};

}  // namespace argand
