#include "train/evaluation/latency.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "train/evaluation/generation_quality.h"
#include "train/evaluation/median.h"
#include "train/generation/generation.h"

namespace argand {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

/// Reads a buffer of this size several times and returns the shortest time.
double seconds_to_read(std::int64_t bytes) {
  const std::vector<std::uint64_t> buffer(static_cast<std::size_t>(bytes / 8) + 1, 1);
  std::atomic<std::uint64_t> sum = 0;  // keeps the compiler from leaving out the reads
  double best = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 10; ++turn) {
    const auto start = Clock::now();
    parallel_for(std::ssize(buffer), 1 << 14, [&](std::int64_t from, std::int64_t to) {
      std::array<std::uint64_t, 4> sums{};  // four, because one would be limited by the latency of an addition
      for (; from + 4 <= to; from += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += buffer[static_cast<std::size_t>(from) + k];
      sum += sums[0] + sums[1] + sums[2] + sums[3];
    });
    best = std::min(best, seconds(Clock::now() - start));
  }
  return best;
}

}  // namespace

template <RealScalar R>
Latency measure_latency(Model<R>& model, const Ids& part, const ForwardContext& context, WeightFormat format) {
  const std::int64_t longest = model.config().max_seq_len;
  require(longest >= 4, "latency", "the model reads at most {} tokens; timing requires at least 4", longest);
  Latency result{.texts = 5, .prompt_length = longest / 4, .tokens = longest - longest / 4};
  const Ids prompts =
      original_texts(part, {.judge = "", .prompts = result.texts, .prompt_length = result.prompt_length, .tokens = 0});
  const auto copies = quantized<R>(model, format);
  std::vector<double> to_first, per_token;
  for (std::int64_t text = -1; text < result.texts; ++text) {
    const std::int32_t* const prompt = prompts.data() + std::max<std::int64_t>(0, text) * result.prompt_length;
    const Ids ids({1, result.prompt_length}, {prompt, prompt + result.prompt_length});
    std::vector<Clock::time_point> written;
    const auto start = Clock::now();
    generate<R>(
        model, ids, result.tokens, {.top_p = 0.9}, [&](std::span<const std::int32_t>) { written.push_back(Clock::now()); },
        context);
    if (text < 0) continue;  // warm-up: the first text has to allocate memory and tables
    to_first.push_back(seconds(written.front() - start));
    per_token.push_back(seconds(written.back() - written.front()) / static_cast<double>(result.tokens - 1));
  }
  result.to_first_token = median(to_first);
  result.per_token = median(per_token);
  const auto [fastest, slowest] = std::minmax_element(per_token.begin(), per_token.end());
  result.fastest = *fastest, result.slowest = *slowest;
  result.rounded = copies->numbers();
  const std::int64_t bytes = count_parameters(model.parameters()) * static_cast<std::int64_t>(sizeof(R)) - copies->bytes_saved();
  result.parameter_bytes = static_cast<double>(bytes);
  result.to_read_parameters = seconds_to_read(bytes);
  return result;
}

#define ARGAND_LATENCY(R) template Latency measure_latency(Model<R>&, const Ids&, const ForwardContext&, WeightFormat);
ARGAND_FOR_REAL(ARGAND_LATENCY)

}  // namespace argand
