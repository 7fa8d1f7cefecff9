#include "data/text_batches.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/error.h"
#include "data/random_order.h"

namespace argand {
namespace {

/// Random-number streams for the epochs, distinct from those that other parts of a program derive from the same seed.
constexpr std::uint64_t text_streams = std::uint64_t{0x7465787473} << 24;
constexpr std::uint64_t batch_streams = std::uint64_t{0x6261746368} << 24;

constexpr std::uint64_t batches_in_a_pool = 50;

void check_sizes(const char* op, const LabelledTexts& texts, std::int64_t B, std::int64_t longest) {
  require(texts.size() > 0, op, "requires at least one text");
  require(B >= 1 && longest >= 1, op, "batch and length must be at least 1, got {} and {}", B, longest);
}

void sort_by_length(const LabelledTexts& texts, std::span<std::int64_t> order) {
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return texts.length(a) < texts.length(b); });
}

TextBatch batch_of(const LabelledTexts& texts, std::span<const std::int64_t> members, std::int64_t longest) {
  std::int64_t T = 1;
  for (const std::int64_t i : members) T = std::max(T, std::min(texts.length(i), longest));
  const auto B = static_cast<std::int64_t>(members.size());
  TextBatch batch{Ids(Shape{B, T}), Ids(Shape{B}), {members.begin(), members.end()}};  // Ids are initialised to pad_id
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t i = members[static_cast<std::size_t>(b)];
    std::copy_n(texts.text(i).begin(), std::min(texts.length(i), T), batch.tokens.data() + b * T);
    batch.labels[b] = texts.label(i);
  }
  return batch;
}

}  // namespace

TextBatches::TextBatches(LabelledTexts texts, std::int64_t B, std::int64_t longest, std::uint64_t seed)
    : texts_(std::move(texts)), B_(static_cast<std::uint64_t>(B)), longest_(longest), seed_(seed) {
  check_sizes("batches", texts_, B, longest);
}

TextBatch TextBatches::at(std::uint64_t i) const {
  const auto n_batches = static_cast<std::uint64_t>(batches_per_epoch());
  const std::uint64_t epoch = i / n_batches;
  if (order_.empty() || planned_epoch_ != epoch) plan(epoch);
  const std::uint64_t from = permuted(i % n_batches, n_batches, Random(seed_, batch_streams + epoch)) * B_;
  return batch_of(texts_, std::span(order_).subspan(from, std::min(B_, n_texts() - from)), longest_);
}

void TextBatches::plan(std::uint64_t epoch) const {
  const Random random(seed_, text_streams + epoch);
  order_.clear();
  for (std::uint64_t i = 0; i < n_texts(); ++i) order_.push_back(static_cast<std::int64_t>(permuted(i, n_texts(), random)));
  const std::uint64_t pool = batches_in_a_pool * B_;
  for (std::uint64_t from = 0; from < n_texts(); from += pool)
    sort_by_length(texts_, std::span(order_).subspan(from, std::min(pool, n_texts() - from)));
  planned_epoch_ = epoch;
}

EvaluationTexts::EvaluationTexts(LabelledTexts texts, std::int64_t B, std::int64_t longest)
    : texts_(std::move(texts)), B_(B), longest_(longest), order_(static_cast<std::size_t>(texts_.size())) {
  check_sizes("evaluation", texts_, B, longest);
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
  sort_by_length(texts_, order_);
}

TextBatch EvaluationTexts::operator[](std::int64_t i) const {
  require(i >= 0 && i < size(), "evaluation", "batch {} is out of range for {} batches", i, size());
  const auto from = static_cast<std::size_t>(i * B_);
  return batch_of(texts_, std::span(order_).subspan(from, std::min(static_cast<std::size_t>(B_), order_.size() - from)), longest_);
}

}  // namespace argand
