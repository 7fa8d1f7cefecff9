#include "data/batches.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "data/random_order.h"

namespace argand {
namespace {

/// Random-number streams for the epochs, distinct from those that other parts of a program derive from the same seed.
constexpr std::uint64_t order_streams = std::uint64_t{0x6f72646572} << 24;
constexpr std::uint64_t offset_stream = order_streams - 1;

void check_sizes(const char* op, const Ids& tokens, std::int64_t B, std::int64_t T) {
  require(tokens.shape().rank() == 1, op, "tokens must have shape [N], got {}", tokens.shape());
  require(B >= 1 && T >= 1, op, "batch and length must be at least 1, got {} and {}", B, T);
}

/// Windows of T tokens; the targets are the successors of each window's last n tokens.
LmBatch windows_at(const Ids& tokens, std::int64_t T, std::int64_t n, std::vector<std::int64_t> starts) {
  const auto B = static_cast<std::int64_t>(starts.size());
  LmBatch batch{Ids({B, T}), Ids({B, n}), std::move(starts)};
  std::int64_t row = 0;
  for (const std::int64_t start : batch.starts) {
    std::copy_n(tokens.data() + start, T, batch.tokens.data() + row * T);
    std::copy_n(tokens.data() + start + T - n + 1, n, batch.targets.data() + row * n);
    ++row;
  }
  return batch;
}

}  // namespace

LmBatches::LmBatches(Ids tokens, std::int64_t B, std::int64_t T, std::uint64_t seed)
    : tokens_(std::move(tokens)), B_(B), T_(T), seed_(seed), windows_(0), max_offset_(0) {
  check_sizes("batches", tokens_, B, T);
  const std::int64_t N = tokens_.size();
  require(N > T, "batches",
          "a text of {} tokens is too short for windows of {} and their targets; use at least {} tokens, or a smaller length", N, T,
          T + 1);
  // Every epoch has the same number of windows, regardless of its offset: (N - T) / T leaves room for offsets up to T - 1. If the
  // text holds only one window, the offset may be anything that fits.
  windows_ = std::max<std::int64_t>(1, (N - T) / T);
  max_offset_ = std::min(T - 1, N - 1 - windows_ * T);
}

std::int64_t LmBatches::start_of(std::uint64_t window) const {
  const auto n = static_cast<std::uint64_t>(windows_);
  const std::uint64_t epoch = window / n;
  const std::uint64_t offset = Random(seed_, offset_stream).below(epoch, static_cast<std::uint64_t>(max_offset_) + 1);
  const std::uint64_t place = permuted(window % n, n, Random(seed_, order_streams + epoch));
  return static_cast<std::int64_t>(offset) + static_cast<std::int64_t>(place) * T_;
}

LmBatch LmBatches::at(std::uint64_t i) const {
  std::vector<std::int64_t> starts;
  for (std::int64_t b = 0; b < B_; ++b)
    starts.push_back(start_of(i * static_cast<std::uint64_t>(B_) + static_cast<std::uint64_t>(b)));
  return windows_at(tokens_, T_, T_, std::move(starts));
}

EvaluationWindows::EvaluationWindows(Ids tokens, std::int64_t B, std::int64_t T, std::int64_t S)
    : tokens_(std::move(tokens)), T_(T) {
  check_sizes("evaluation", tokens_, B, T);
  require(S >= 1 && S <= T, "evaluation", "the stride must be in [1, {}] (the window length), got {}", T, S);
  const std::int64_t N = tokens_.size();
  require(N >= 2, "evaluation", "a text of {} has nothing to score: its first token has no context",
          N == 1 ? "one token" : "no tokens");
  T_ = std::min(T, N - 1);
  for (std::int64_t last = 0; last < N - 1;) {  // tokens 1 ... last have been scored
    const std::int64_t n = std::min(last == 0 ? T_ : S, N - 1 - last);
    last += n;
    if (batches_.empty() || batches_.back().targets != n || static_cast<std::int64_t>(batches_.back().starts.size()) == B)
      batches_.push_back({{}, n});
    batches_.back().starts.push_back(last - T_);
  }
}

LmBatch EvaluationWindows::operator[](std::int64_t i) const {
  require(i >= 0 && i < size(), "evaluation", "batch {} is out of range for {} batches", i, size());
  const Rows& rows = batches_[static_cast<std::size_t>(i)];
  return windows_at(tokens_, T_, rows.targets, rows.starts);
}

EvaluationBatches::EvaluationBatches(Ids tokens, std::int64_t B, std::int64_t T)
    : tokens_(std::move(tokens)), B_(B), T_(T), blocks_(0) {
  check_sizes("evaluation", tokens_, B, T);
  const std::int64_t N = tokens_.size();
  require(B <= (N - 2) / T, "evaluation", "a text of {} tokens is too short for a block of {} x {} and the two tokens after it", N,
          B, T);
  blocks_ = (N - 2) / (B * T);  // starts j = 0, B T, 2 B T, ... while j < N - 1 - B T
}

LmBatch EvaluationBatches::operator[](std::int64_t i) const {
  require(i >= 0 && i < blocks_, "evaluation", "block {} is out of range for {} blocks", i, blocks_);
  std::vector<std::int64_t> starts;
  for (std::int64_t b = 0; b < B_; ++b) starts.push_back((i * B_ + b) * T_);
  return windows_at(tokens_, T_, T_, std::move(starts));
}

}  // namespace argand
