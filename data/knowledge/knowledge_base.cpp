#include "data/knowledge/knowledge_base.h"

#include <algorithm>

#include "core/error.h"

namespace argand {
namespace {

void check_text(const Ids& text, std::int64_t L) {
  require(text.shape().rank() == 1, "knowledge", "a text must have shape [N], got {}", text.shape());
  require(L >= 1 && text.size() >= L, "knowledge", "no passage of {} tokens fits in a text of {}", L, text.size());
}

}  // namespace

KnowledgeBase::KnowledgeBase(const Ids& text, std::vector<std::int64_t> starts, std::int64_t L)
    : starts_(std::move(starts)), length_(L), passages_(Shape{size(), L}) {
  for (std::int64_t p = 0; p < size(); ++p) std::copy_n(text.data() + start(p), L, passages_.data() + p * L);
}

KnowledgeBase KnowledgeBase::whole(const Ids& text, std::int64_t L) {
  check_text(text, L);
  std::vector<std::int64_t> starts;
  for (std::int64_t at = 0; at + L <= text.size(); at += L) starts.push_back(at);
  return KnowledgeBase(text, std::move(starts), L);
}

KnowledgeBase KnowledgeBase::drawn(const Ids& text, std::int64_t L, std::int64_t count, const Random& random) {
  check_text(text, L);
  const std::int64_t places = text.size() - L + 1;
  require(count >= 1 && count <= places, "knowledge", "cannot draw {} passages of {} tokens from a text of {}", count, L,
          text.size());
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = i * places / count, last = (i + 1) * places / count;
    starts.push_back(
        first + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(last - first))));
  }
  return KnowledgeBase(text, std::move(starts), L);
}

RowRange KnowledgeBase::overlapping(std::int64_t first, std::int64_t last) const {
  if (first >= last) return {};
  // Passage [s, s + L) overlaps [first, last) when s > first - L and s < last.
  const auto begin = std::upper_bound(starts_.begin(), starts_.end(), first - length_);
  const auto end = std::lower_bound(begin, starts_.end(), last);
  return {begin - starts_.begin(), end - starts_.begin()};
}

std::int64_t KnowledgeBase::most_overlapping(std::int64_t N, std::int64_t L, std::int64_t P, std::int64_t window) {
  if (window < 1) return 0;
  // A window overlaps the passages that start in an interval of window + L - 1 positions. The positions are divided into P equal
  // parts, each containing one start; the interval covers some parts fully and at most one more at each end.
  const std::int64_t places = N - L + 1;
  return std::min(P, (window + L - 2) * P / places + 2);
}

}  // namespace argand
