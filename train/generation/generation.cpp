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

std::string StopTextFilter::next(const std::string& piece) {
  if (stopped_) return {};
  held_ += piece;
  std::size_t end = held_.npos, begun = held_.size();
  for (const std::string& stop : stops_) {
    end = std::min(end, held_.find(stop));
    for (std::size_t n = std::min(stop.size() - 1, held_.size()); n > 0; --n)
      if (held_.ends_with(std::string_view(stop).substr(0, n))) {
        begun = std::min(begun, held_.size() - n);
        break;
      }
  }
  stopped_ = end != held_.npos;
  std::string shown = held_.substr(0, stopped_ ? end : begun);
  held_.erase(0, stopped_ ? held_.npos : shown.size());
  return shown;
}

template <RealScalar R>
std::unique_ptr<QuantizedWeights> quantized(const Model<R>& model, WeightFormat format) {
  auto copies = std::make_unique<QuantizedWeights>(format);
  if (format == WeightFormat::f32) return copies;
  if constexpr (std::same_as<R, float>) {
    for (const Parameter<float>& parameter : model.parameters())
      if (parameter.shape().rank() == 2 && !parameter.is_complex()) {
        const Tensor<float>& W = std::get<Var<float>>(parameter.var).value();
        copies->add(W.data(), W.dim(0), W.dim(1));
      }
  } else {
    fail("weights", "the model computes with float64; its weights can be read as bf16 or int8 only if `precision` is float32");
  }
  return copies;
}

template <RealScalar R>
void generate(Model<R>& model, const Ids& prompts, std::int64_t count, const SamplingOptions& options, const WriteTokens& write,
              const ForwardContext& context, const std::function<bool()>& enough) {
  require(prompts.shape().rank() == 2 && prompts.size() > 0, "generate", "the prompt is empty; give at least one token");
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
        drawn[b] = sample<R>(logits.span().subspan(b * V, V), options, draw, texts[b]);
        texts[b].push_back(drawn[b]);
      }
    });
    write(drawn);
    if (enough && enough()) return;
    if (cache->length < longest) {
      next = last_tokens(1);
    } else {
      cache = model.make_cache(B);
      next = last_tokens(half);
    }
  }
}

template <RealScalar R>
std::vector<Written> written_texts(Model<R>& model, const Tokenizer& tokens, const std::vector<Prompt>& prompts,
                                   const WritingOptions& options, const ForwardContext& context,
                                   const std::function<void()>& watch) {
  const auto samples = static_cast<std::size_t>(options.samples);
  std::vector<Written> texts(prompts.size() * samples);
  std::map<std::int64_t, std::vector<std::size_t>> together;
  for (std::size_t i = 0; i < texts.size(); ++i) together[prompts[i / samples].tokens.size()].push_back(i);
  for (const auto& of_length : together) {
    const std::vector<std::size_t>& group = of_length.second;
    std::vector<std::int32_t> ids;
    std::vector<WrittenText> writers;
    std::vector<StopTextFilter> ends(group.size(), StopTextFilter(options.stop));
    for (const std::size_t i : group) {
      const Prompt& prompt = prompts[i / samples];
      ids.insert(ids.end(), prompt.tokens.span().begin(), prompt.tokens.span().end());
      writers.push_back(prompt.continuation(tokens));
    }
    std::size_t open = group.size();
    const auto write = [&](std::span<const std::int32_t> next) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (ends[i].stopped()) continue;
        Written& written = texts[group[i]];
        written.text += ends[i].next(writers[i].next(next[i]));
        ++written.tokens;
        written.stopped = ends[i].stopped();
        open -= written.stopped;
      }
      if (watch) watch();
    };
    const Ids batch({static_cast<std::int64_t>(group.size()), of_length.first}, std::move(ids));
    generate<R>(model, batch, options.tokens, options.sampling, write, context, [&] { return open == 0; });
    for (std::size_t i = 0; i < group.size(); ++i) texts[group[i]].text += ends[i].rest();
  }
  return texts;
}

#define ARGAND_GENERATE(R)                                                                                                       \
  template std::unique_ptr<QuantizedWeights> quantized(const Model<R>&, WeightFormat);                                           \
  template void generate(Model<R>&, const Ids&, std::int64_t, const SamplingOptions&, const WriteTokens&, const ForwardContext&, \
                         const std::function<bool()>&);                                                                          \
  template std::vector<Written> written_texts(Model<R>&, const Tokenizer&, const std::vector<Prompt>&, const WritingOptions&,    \
                                              const ForwardContext&, const std::function<void()>&);
ARGAND_FOR_REAL(ARGAND_GENERATE)

}  // namespace argand
