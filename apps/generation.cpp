#include "apps/generation.h"

#include <vector>

#include "core/error.h"

namespace argand {

template <RealScalar R>
void generate(Model<R>& model, std::span<const std::int32_t> prompt, std::int64_t count, const SamplingOptions& options,
              const std::function<void(std::int32_t)>& write) {
  require(!prompt.empty(), "generate", "the prompt is empty; at least one word is needed to begin with");
  const std::int64_t longest = model.config().max_seq_len, half = std::max<std::int64_t>(1, longest / 2);
  std::vector<std::int32_t> text(prompt.begin(), prompt.end());
  const auto last_tokens = [&](std::int64_t n) {
    n = std::min(n, static_cast<std::int64_t>(text.size()));
    return Ids({1, n}, std::vector<std::int32_t>(text.end() - n, text.end()));
  };
  auto cache = model.make_cache(1);
  Ids next = last_tokens(longest);
  for (std::int64_t i = 0; i < count; ++i) {
    const Tensor<R> logits = model.next_logits(next, *cache);
    text.push_back(sample<R>(logits.span(), options, static_cast<std::uint64_t>(i)));
    write(text.back());
    if (cache->length < longest) {
      next = last_tokens(1);
    } else {
      cache = model.make_cache(1);
      next = last_tokens(half);
    }
  }
}

template void generate(Model<float>&, std::span<const std::int32_t>, std::int64_t, const SamplingOptions&,
                       const std::function<void(std::int32_t)>&);
template void generate(Model<double>&, std::span<const std::int32_t>, std::int64_t, const SamplingOptions&,
                       const std::function<void(std::int32_t)>&);

}  // namespace argand
