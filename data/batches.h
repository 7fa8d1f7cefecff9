#pragma once
/// Batches of text for language models.

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace argand {

/// B windows of T tokens, and for each of their last n tokens the one that follows it; n = T but where EvaluationWindows overlap.
struct LmBatch {
  Ids tokens;                        ///< [B, T]
  Ids targets;                       ///< [B, n]; targets(b, i) is the token after tokens(b, T - n + i)
  std::vector<std::int64_t> starts;  ///< where in the text each window begins [B]
};

/// Training batches, without replacement. Each epoch cuts the text into windows, from an offset of its own in [0, T), and visits
/// every window once, in an order of its own. Batch i is a pure function of (text, B, T, seed, i): to resume a run, or to look at a
/// batch again, its number is all one needs.
class LmBatches {
 public:
  /// tokens [N]; needs at least T + 1 of them. Throws Error for a shorter text or B, T < 1.
  LmBatches(Ids tokens, std::int64_t B, std::int64_t T, std::uint64_t seed);

  LmBatch at(std::uint64_t i) const;
  /// at(position()), then moves on.
  LmBatch next() { return at(position_++); }

  std::uint64_t position() const { return position_; }  ///< number of the batch that next() returns
  void seek(std::uint64_t position) { position_ = position; }
  std::int64_t windows_per_epoch() const { return windows_; }
  const Ids& tokens() const { return tokens_; }

 private:
  std::int64_t start_of(std::uint64_t window) const;

  Ids tokens_;
  std::int64_t B_, T_;
  std::uint64_t seed_;
  std::int64_t windows_;     ///< per epoch
  std::int64_t max_offset_;  ///< inclusive
  std::uint64_t position_ = 0;
};

/// Evaluation batches in which every token of the text is a target exactly once, but for the first, which nothing precedes.
/// The text is read in windows of T tokens, one after the other, B at a time. With a stride S < T they overlap: all targets of the
/// first one count, and of each further one those of its last S tokens, which have at least T - S tokens before them to go by. What
/// remains at the end is scored by a window that is moved back until it is full, so that all windows have T tokens (or, in a text
/// that has no more, N - 1). Which windows there are does not depend on B; those of one batch count as many targets each.
/// Source: "rolling" log likelihoods of the Language Model Evaluation Harness, github.com/EleutherAI/lm-evaluation-harness.
class EvaluationWindows {
 public:
  /// tokens [N]. Throws Error for B, T < 1, for S not in [1, T], and for a text without anything to score (N < 2).
  EvaluationWindows(Ids tokens, std::int64_t B, std::int64_t T, std::int64_t S);

  std::int64_t size() const { return static_cast<std::int64_t>(batches_.size()); }
  /// Batch i; the last of its kind may have fewer than B rows.
  LmBatch operator[](std::int64_t i) const;

 private:
  struct Rows {
    std::vector<std::int64_t> starts;
    std::int64_t targets;  ///< of each window
  };

  Ids tokens_;
  std::int64_t T_;
  std::vector<Rows> batches_;
};

/// Evaluation batches as many programs have them, whose perplexity depends on B: the text from its beginning in blocks of B · T
/// consecutive tokens, a block's row b being its tokens [b · T, (b + 1) · T). What does not fill a block is left out. The same
/// windows as in
///   for j in range(0, len(tokens) - 1 - B * T, B * T): tokens[j : j + B * T].view(B, T)
/// so that perplexities compare with those of a PyTorch loop like that.
class EvaluationBatches {
 public:
  /// Throws Error when the text is too short for one block (it takes B · T + 2 tokens).
  EvaluationBatches(Ids tokens, std::int64_t B, std::int64_t T);

  std::int64_t size() const { return blocks_; }
  LmBatch operator[](std::int64_t i) const;

 private:
  Ids tokens_;
  std::int64_t B_, T_, blocks_;
};

}  // namespace argand
