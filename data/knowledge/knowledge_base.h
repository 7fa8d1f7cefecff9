#pragma once
/// Passages cut from a text, for models that look things up, and which of them a window of that text overlaps.

#include <cstdint>
#include <vector>

#include "core/nearest.h"
#include "core/random.h"

namespace argand {

/// P passages of L tokens each, in the order of their places in the text.
class KnowledgeBase {
 public:
  /// The whole text, cut end to end; what does not fill the last passage is left out.
  /// Throws Error when the text [N] is shorter than a passage, or L < 1.
  static KnowledgeBase whole(const Ids& text, std::int64_t L);
  /// `count` passages, each from a random place within its own of `count` equal parts of the text: evenly spread, so that a window
  /// can overlap only few of them. Throws Error when the text has not as many places.
  static KnowledgeBase drawn(const Ids& text, std::int64_t L, std::int64_t count, const Random& random);

  const Ids& passages() const { return passages_; }  ///< [P, L]
  std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()); }
  std::int64_t length() const { return length_; }
  /// Where in the text passage p begins.
  std::int64_t start(std::int64_t p) const { return starts_.at(static_cast<std::size_t>(p)); }

  /// The passages that share a token with the text's tokens first, ..., last - 1.
  RowRange overlapping(std::int64_t first, std::int64_t last) const;
  /// The most of P passages of L tokens that a window of this many tokens can overlap, wherever it lies in a text of N.
  static std::int64_t most_overlapping(std::int64_t N, std::int64_t L, std::int64_t P, std::int64_t window);

 private:
  KnowledgeBase(const Ids& text, std::vector<std::int64_t> starts, std::int64_t L);

  std::vector<std::int64_t> starts_;  ///< ascending
  std::int64_t length_;
  Ids passages_;
};

}  // namespace argand
