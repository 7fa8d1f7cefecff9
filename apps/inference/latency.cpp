#include "apps/inference/latency.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "apps/inference/generation.h"
#include "core/error.h"

namespace argand {
namespace {

/// Of an odd number of values.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

template <RealScalar R>
Latency measure_latency(Model<R>& model, const Ids& part, const ForwardContext& context) {
  using Clock = std::chrono::steady_clock;
  const std::int64_t longest = model.config().max_seq_len;
  require(longest >= 4, "latency", "the model reads {} tokens at most, and a text to be timed has 4", longest);
  Latency result{.prompt_length = longest / 4, .tokens = longest - longest / 4};
  require(part.size() >= result.prompt_length, "latency", "the text has {} tokens, a prompt {}", part.size(), result.prompt_length);
  std::vector<double> of_prompts, of_tokens;
  for (std::int64_t text = -1; text < result.texts; ++text) {
    const std::int64_t begin = std::max<std::int64_t>(0, text) * (part.size() - result.prompt_length) / result.texts;
    const std::int32_t* const prompt = part.data() + begin;
    const Ids ids({1, result.prompt_length}, {prompt, prompt + result.prompt_length});
    const auto start = Clock::now();
    std::vector<Clock::time_point> written;
    generate<R>(
        model, ids, result.tokens, {.top_p = 0.9}, [&](std::span<const std::int32_t>) { written.push_back(Clock::now()); },
        context);
    if (text < 0) continue;  // memory and tables are made with the first one
    const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
    of_prompts.push_back(seconds(written.front() - start));
    of_tokens.push_back(seconds(written.back() - written.front()) / static_cast<double>(result.tokens - 1));
  }
  result.prompt_seconds = median(of_prompts);
  result.token_seconds = median(of_tokens);
  const auto [fastest, slowest] = std::minmax_element(of_tokens.begin(), of_tokens.end());
  result.fastest = *fastest, result.slowest = *slowest;
  return result;
}

#define ARGAND_LATENCY(R) template Latency measure_latency(Model<R>&, const Ids&, const ForwardContext&);
ARGAND_FOR_REAL(ARGAND_LATENCY)

}  // namespace argand
