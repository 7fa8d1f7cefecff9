#include "apps/inference/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "apps/terminal/command_line.h"

namespace argand {

void SamplingOptions::validate() const {
  if (!(temperature >= 0)) usage_fail("--temperature", "must not be negative, got {}", temperature);
  if (top_k < 0) usage_fail("--top-k", "must not be negative, got {}", top_k);
  if (!(top_p > 0 && top_p <= 1)) usage_fail("--top-p", "must be in (0, 1], got {}", top_p);
}

template <RealScalar R>
std::int32_t sample(std::span<const R> logits, const SamplingOptions& options, std::uint64_t i) {
  require(!logits.empty(), "sample", "there are no logits");
  for (R logit : logits)
    require(!std::isnan(logit) && logit < std::numeric_limits<R>::infinity(), "sample", "the model's logits are not finite");
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto likelier = [&](std::int32_t a, std::int32_t b) {
    const R x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
    return x > y || (x == y && a < b);
  };
  if (options.temperature == 0) return *std::min_element(order.begin(), order.end(), likelier);

  std::size_t kept = order.size();
  if (options.top_k > 0) kept = std::min(kept, static_cast<std::size_t>(options.top_k));
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), likelier);
  const double largest = static_cast<double>(logits[static_cast<std::size_t>(order[0])]);
  std::vector<double> weight(kept);
  for (std::size_t k = 0; k < kept; ++k)
    weight[k] = std::exp((static_cast<double>(logits[static_cast<std::size_t>(order[k])]) - largest) / options.temperature);
  double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  if (options.top_p < 1) {
    double sum = 0;
    std::size_t enough = 0;
    while (enough < kept && sum < options.top_p * total) sum += weight[enough++];
    kept = enough;
    total = sum;
  }
  double left = Random(options.seed).uniform(i) * total;
  for (std::size_t k = 0; k < kept; ++k) {
    left -= weight[k];
    if (left < 0) return order[k];
  }
  return order[kept - 1];  // rounding: the sum of the weights fell short of the total
}

template std::int32_t sample(std::span<const float>, const SamplingOptions&, std::uint64_t);
template std::int32_t sample(std::span<const double>, const SamplingOptions&, std::uint64_t);

}  // namespace argand
