#pragma once
/// Batches of labelled texts for classifiers.

#include <cstdint>
#include <vector>

#include "data/labelled_texts.h"

namespace argand {

/// B texts, padded to the longest of them, and their labels.
struct TextBatch {
  Ids tokens;                       ///< [B, T]; what a text does not fill is pad_id
  Ids labels;                       ///< [B]
  std::vector<std::int64_t> texts;  ///< which ones they are [B]
};

/// Training batches. An epoch visits every text once, in an order of its own. Texts of similar length go together, since padding is
/// work for nothing: the epoch's order is cut into pools of 50 batches, a pool is sorted by length and cut into batches, and the
/// batches are shuffled. The one that N mod B texts are left for is smaller.
/// Batch i is a pure function of (texts, B, longest, seed, i). Looking up is not for several threads at once.
class TextBatches {
 public:
  /// Texts of more than `longest` words lose their ends. Throws Error without texts or for B, longest < 1.
  TextBatches(LabelledTexts texts, std::int64_t B, std::int64_t longest, std::uint64_t seed);

  TextBatch at(std::uint64_t i) const;
  std::int64_t batches_per_epoch() const { return static_cast<std::int64_t>((n_texts() + B_ - 1) / B_); }

 private:
  std::uint64_t n_texts() const { return static_cast<std::uint64_t>(texts_.size()); }
  void plan(std::uint64_t epoch) const;

  LabelledTexts texts_;
  std::uint64_t B_;
  std::int64_t longest_;
  std::uint64_t seed_;
  /// The epoch that was looked at last: its texts, those of batch j from j B on.
  mutable std::vector<std::int64_t> order_;
  mutable std::uint64_t planned_epoch_ = 0;
};

/// Evaluation batches: every text once, the shortest first.
class EvaluationTexts {
 public:
  /// Throws Error without texts or for B, longest < 1.
  EvaluationTexts(LabelledTexts texts, std::int64_t B, std::int64_t longest);

  std::int64_t size() const { return (texts_.size() + B_ - 1) / B_; }
  TextBatch operator[](std::int64_t i) const;

 private:
  LabelledTexts texts_;
  std::int64_t B_, longest_;
  std::vector<std::int64_t> order_;
};

}  // namespace argand
