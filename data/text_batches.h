#pragma once
/// Batches of labelled texts for classifiers.

#include <cstdint>
#include <vector>

#include "data/labelled_texts.h"

namespace argand {

/// B texts, padded to the length of the longest, and their labels.
struct TextBatch {
  Ids tokens;                       ///< [B, T], padded with pad_id
  Ids labels;                       ///< [B]
  std::vector<std::int64_t> texts;  ///< indices of the texts [B]
};

/// Training batches. Each epoch visits every text once, in random order. Texts of similar length are batched together to reduce
/// padding: the epoch's order is cut into pools of 50 batches, each pool is sorted by length and cut into batches, and the batches
/// are shuffled. If B does not divide N, one batch is smaller. Batch i is a pure function of (texts, B, longest, seed, i). Access
/// is not thread-safe.
class TextBatches {
 public:
  /// Truncates texts to `longest` words. Throws Error if there are no texts or if B or longest < 1.
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
  /// The order of texts in the most recent epoch; batch j starts at index j B.
  mutable std::vector<std::int64_t> order_;
  mutable std::uint64_t planned_epoch_ = 0;
};

/// Evaluation batches: every text once, shortest first.
class EvaluationTexts {
 public:
  /// Throws Error if there are no texts or if B or longest < 1.
  EvaluationTexts(LabelledTexts texts, std::int64_t B, std::int64_t longest);

  std::int64_t size() const { return (texts_.size() + B_ - 1) / B_; }
  TextBatch operator[](std::int64_t i) const;

 private:
  LabelledTexts texts_;
  std::int64_t B_, longest_;
  std::vector<std::int64_t> order_;
};

}  // namespace argand
