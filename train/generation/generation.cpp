#include "train/generation/generation.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"

namespace argand {

std::string WrittenText::next(Tokenizer::Id id) {
  std::string text = tokens_.text(id, line_start_);
  line_start_ = text.ends_with('\n');
  return text;
}

template <RealScalar R>
void generate(Model<R>& model, const Ids& prompts, std::int64_t count, const SamplingOptions& options, const WriteTokens& write,
              const ForwardContext& context) {
  require(prompts.shape().rank() == 2 && prompts.size() > 0, "generate",
          "the prompt is empty; at least one word is needed to begin with");
  const std::int64_t B = prompts.shape()[0], longest = model.config().max_seq_len, half = std::max<std::int64_t>(1, longest / 2);
  std::vector<std::vector<std::int32_t>> texts;
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int32_t* row = prompts.data() + b * prompts.shape()[1];
    texts.emplace_back(row, row + prompts.shape()[1]);
  }
  const auto last_tokens = [&](std::int64_t n) {
    n = std::min(n, static_cast<std::int64_t>(texts[0].size()));
    std::vector<std::int32_t> ends;
    for (const auto& text : texts) ends.insert(ends.end(), text.end() - n, text.end());
    return Ids({B, n}, std::move(ends));
  };
  auto cache = model.make_cache(B);
  Ids next = last_tokens(longest);
  std::vector<std::int32_t> drawn(texts.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const Tensor<R> logits = model.next_logits(next, *cache, context);
    const auto V = static_cast<std::size_t>(logits.dim(1));
    parallel_for(B, 1, [&](std::int64_t first, std::int64_t last) {
      for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
        const auto draw = static_cast<std::uint64_t>(i) * texts.size() + b;
        drawn[b] = sample<R>(logits.span().subspan(b * V, V), options, draw);
        texts[b].push_back(drawn[b]);
      }
    });
    write(drawn);
    if (cache->length < longest) {
      next = last_tokens(1);
    } else {
      cache = model.make_cache(B);
      next = last_tokens(half);
    }
  }
}

template <RealScalar R>
std::vector<std::string> written_texts(Model<R>& model, const Tokenizer& tokens, const std::vector<Prompt>& prompts,
                                       std::int64_t samples, std::int64_t count, const SamplingOptions& options,
                                       const ForwardContext& context, const std::function<void()>& watch) {
  std::vector<std::string> texts;
  std::vector<WrittenText> written;
  std::map<std::int64_t, std::vector<std::size_t>> together;
  for (const Prompt& prompt : prompts)
    for (std::int64_t s = 0; s < samples; ++s) {
      together[prompt.tokens.size()].push_back(texts.size());
      texts.push_back(prompt.text);
      written.push_back(prompt.continuation(tokens));
    }
  for (const auto& of_length : together) {
    const std::vector<std::size_t>& group = of_length.second;
    std::vector<std::int32_t> ids;
    for (const std::size_t i : group) {
      const auto span = prompts[i / static_cast<std::size_t>(samples)].tokens.span();
      ids.insert(ids.end(), span.begin(), span.end());
    }
    const auto write = [&](std::span<const std::int32_t> next) {
      for (std::size_t i = 0; i < group.size(); ++i) texts[group[i]] += written[group[i]].next(next[i]);
      if (watch) watch();
    };
    generate<R>(model, Ids({static_cast<std::int64_t>(group.size()), of_length.first}, std::move(ids)), count, options, write,
                context);
  }
  return texts;
}

#define ARGAND_GENERATE(R)                                                                                                        \
  template void generate(Model<R>&, const Ids&, std::int64_t, const SamplingOptions&, const WriteTokens&, const ForwardContext&); \
  template std::vector<std::string> written_texts(Model<R>&, const Tokenizer&, const std::vector<Prompt>&, std::int64_t,          \
                                                  std::int64_t, const SamplingOptions&, const ForwardContext&,                    \
                                                  const std::function<void()>&);
ARGAND_FOR_REAL(ARGAND_GENERATE)

}  // namespace argand
