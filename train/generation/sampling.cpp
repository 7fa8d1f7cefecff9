#include "train/generation/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "train/config/config_error.h"

namespace argand {

void SamplingOptions::validate() const {
  if (!(temperature >= 0)) config_fail("temperature", "must not be negative, got {}", temperature);
  if (top_k < 0) config_fail("top_k", "must not be negative, got {}", top_k);
  if (!(top_p > 0 && top_p <= 1)) config_fail("top_p", "must be in (0, 1], got {}", top_p);
  if (!(min_p >= 0 && min_p <= 1)) config_fail("min_p", "must be in [0, 1], got {}", min_p);
  if (!(repetition_penalty > 0 && std::isfinite(repetition_penalty)))
    config_fail("repetition_penalty", "must be above 0, got {}", repetition_penalty);
}

namespace {

/// Ranks tokens by probability, ties by index. Tokens are put into buckets of equal logit width, and only the bucket in which the
/// ranking stops is sorted, because sorting all 33 000 tokens took longer than running the model that scores them.
template <RealScalar R>
class Ranking {
 public:
  Ranking(std::span<const R> logits, double temperature)
      : logits_(logits), weights_(logits.size()), bucket_of_(logits.size()), buckets_(number_of_buckets) {
    const double top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    double bottom = top;  // the lowest finite logit
    for (const R logit : logits)
      if (std::isfinite(logit)) bottom = std::min(bottom, static_cast<double>(logit));
    constexpr double last = number_of_buckets - 1;
    const double scale = last / (top - bottom);  // infinite if all logits are equal
    for (std::size_t w = 0; w < logits.size(); ++w) {
      const double below = top - static_cast<double>(logits[w]);
      weights_[w] = std::exp(-below / temperature);
      bucket_of_[w] = static_cast<std::uint16_t>(below > 0 ? (below * scale < last ? below * scale : last) : 0);
      buckets_[bucket_of_[w]].weight += weights_[w];
      ++buckets_[bucket_of_[w]].words;
    }
  }

  /// The most probable tokens up to a rank.
  struct Prefix {
    std::size_t words = 0;
    double weight = 0;
    std::int32_t last = 0;  ///< the least probable token of the prefix
  };
  /// The number of tokens with at least this fraction of the highest probability.
  std::size_t at_least(double share) const {
    return static_cast<std::size_t>(std::count_if(weights_.begin(), weights_.end(), [=](double w) { return w >= share; }));
  }
  /// The shortest prefix for which enough(prefix) is true; all tokens if it never is. `enough` must be monotonic.
  template <class Enough>
  Prefix until(const Enough& enough) const {
    Prefix before;
    std::size_t b = 0;
    const auto with = [&](const Bucket& more) { return Prefix{before.words + more.words, before.weight + more.weight}; };
    while (b + 1 < buckets_.size() && (buckets_[b].words == 0 || !enough(with(buckets_[b])))) before = with(buckets_[b++]);
    for (const std::int32_t word : in_order(b)) {
      before = {before.words + 1, before.weight + weights_[static_cast<std::size_t>(word)], word};
      if (enough(before)) break;
    }
    return before;
  }

 private:
  static constexpr int number_of_buckets = 2048;
  struct Bucket {
    std::size_t words = 0;
    double weight = 0;
  };

  std::vector<std::int32_t> in_order(std::size_t bucket) const {
    std::vector<std::int32_t> words;
    for (std::size_t w = 0; w < bucket_of_.size(); ++w)
      if (bucket_of_[w] == bucket) words.push_back(static_cast<std::int32_t>(w));
    std::stable_sort(words.begin(), words.end(), [this](std::int32_t a, std::int32_t b) {
      return logits_[static_cast<std::size_t>(a)] > logits_[static_cast<std::size_t>(b)];
    });
    return words;
  }

  std::span<const R> logits_;
  std::vector<double> weights_;  ///< exp(logit / temperature), relative to the most probable token
  std::vector<std::uint16_t> bucket_of_;
  std::vector<Bucket> buckets_;
};

/// Applies the repetition penalty: lowers the logits of tokens that occur in the text.
template <RealScalar R>
std::vector<R> penalised(std::span<const R> logits, double penalty, std::span<const std::int32_t> text) {
  std::vector<R> brought_down(logits.begin(), logits.end());
  for (const std::int32_t token : text) {
    const auto at = static_cast<std::size_t>(token);
    const R logit = logits[at];
    brought_down[at] = logit > 0 ? logit / static_cast<R>(penalty) : logit * static_cast<R>(penalty);
  }
  return brought_down;
}

}  // namespace

template <RealScalar R>
std::int32_t sample(std::span<const R> logits, const SamplingOptions& options, std::uint64_t i,
                    std::span<const std::int32_t> text) {
  require(!logits.empty(), "sample", "requires at least one logit");
  std::vector<R> changed;
  if (options.repetition_penalty != 1 && !text.empty()) logits = changed = penalised(logits, options.repetition_penalty, text);
  for (R logit : logits)
    require(!std::isnan(logit) && logit < std::numeric_limits<R>::infinity(), "sample", "the model's logits are not finite");
  if (options.temperature == 0)  // picks the first among equal logits
    return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  const Ranking<R> ranking(logits, options.temperature);
  const std::size_t most = options.top_k > 0 ? static_cast<std::size_t>(options.top_k) : logits.size();
  auto kept = ranking.until([&](const auto& p) { return p.words >= most; });
  if (options.top_p < 1)
    kept = ranking.until([&](const auto& p) { return p.words >= kept.words || p.weight >= options.top_p * kept.weight; });
  if (options.min_p > 0) {
    const std::size_t likely = ranking.at_least(options.min_p);  // includes the most probable token
    kept = ranking.until([&](const auto& p) { return p.words >= kept.words || p.words >= likely; });
  }
  const double draw = Random(options.seed).uniform(i) * kept.weight;
  return ranking.until([&](const auto& p) { return p.words >= kept.words || p.weight > draw; }).last;
}

template std::int32_t sample(std::span<const float>, const SamplingOptions&, std::uint64_t, std::span<const std::int32_t>);
template std::int32_t sample(std::span<const double>, const SamplingOptions&, std::uint64_t, std::span<const std::int32_t>);

}  // namespace argand
