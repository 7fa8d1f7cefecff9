#pragma once
/// Batches of text for language models.

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace argand {

/// B windows of T tokens. The targets are the successors of each window's last n tokens; n = T unless EvaluationWindows overlap.
struct LmBatch {
  Ids tokens;                        ///< [B, T]
  Ids targets;                       ///< [B, n]; targets(b, i) is the token after tokens(b, T - n + i)
  std::vector<std::int64_t> starts;  ///< where each window begins in the text [B]
};

/// Training batches, sampled without replacement. Each epoch cuts the text into windows, starting at a random offset in [0, T), and
/// visits every window once in random order. Batch i is a pure function of (text, B, T, seed, i), so the index i is enough to
/// resume a run or recreate a batch.
class LmBatches {
 public:
  /// tokens [N] with N > T. Throws Error for a shorter text or B, T < 1.
  LmBatches(Ids tokens, std::int64_t B, std::int64_t T, std::uint64_t seed);

  LmBatch at(std::uint64_t i) const;
  /// Returns at(position()) and advances.
  LmBatch next() { return at(position_++); }

  std::uint64_t position() const { return position_; }  ///< index of the batch that next() will return
  void seek(std::uint64_t position) { position_ = position; }
  std::int64_t windows_per_epoch() const { return windows_; }
  const Ids& tokens() const { return tokens_; }

 private:
  std::int64_t start_of(std::uint64_t window) const;

  Ids tokens_;
  std::int64_t B_, T_;
  std::uint64_t seed_;
  std::int64_t windows_;     ///< windows per epoch
  std::int64_t max_offset_;  ///< inclusive
  std::uint64_t position_ = 0;
};

/// Evaluation batches in which every token of the text is a target exactly once, except the first, which has no context. The text
/// is read in consecutive windows of T tokens, B at a time. With a stride S < T they overlap: the first window scores all its
/// targets, each later one those of its last S tokens, which have at least T - S tokens of context. The last window is moved back
/// until it is full, so all windows have T tokens (or N - 1 in a shorter text). The windows do not depend on B; all windows of a
/// batch have the same number of targets. Source: "rolling" log likelihoods of the Language Model Evaluation Harness,
/// github.com/EleutherAI/lm-evaluation-harness.
class EvaluationWindows {
 public:
  /// tokens [N]. Throws Error for B, T < 1, for S not in [1, T], and for a text with nothing to score (N < 2).
  EvaluationWindows(Ids tokens, std::int64_t B, std::int64_t T, std::int64_t S);

  std::int64_t size() const { return static_cast<std::int64_t>(batches_.size()); }
  /// Batch i. The last batch with a given number of targets per window may have fewer than B rows.
  LmBatch operator[](std::int64_t i) const;

 private:
  struct Rows {
    std::vector<std::int64_t> starts;
    std::int64_t targets;  ///< targets per window
  };

  Ids tokens_;
  std::int64_t T_;
  std::vector<Rows> batches_;
};

/// Evaluation batches as many other programs form them; the perplexity depends on B. They are consecutive blocks of B · T tokens
/// from the start of the text; row b of a block holds its tokens [b · T, (b + 1) · T). An incomplete last block is left out. The
/// windows are those of the PyTorch loop
///   for j in range(0, len(tokens) - 1 - B * T, B * T): tokens[j : j + B * T].view(B, T)
/// so perplexities are comparable with those from such a loop.
class EvaluationBatches {
 public:
  /// Throws Error if the text is too short for one block, which needs B · T + 2 tokens.
  EvaluationBatches(Ids tokens, std::int64_t B, std::int64_t T);

  std::int64_t size() const { return blocks_; }
  LmBatch operator[](std::int64_t i) const;

 private:
  Ids tokens_;
  std::int64_t B_, T_, blocks_;
};

}  // namespace argand
