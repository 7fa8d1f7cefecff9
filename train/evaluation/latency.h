#pragma once
/// The time a language model takes to generate each token.

#include <cstdint>

#include "nn/model.h"

namespace argand {

/// Texts are generated one at a time until the model's longest sequence is full; the prompt is a quarter of it.
struct Latency {
  std::int64_t texts = 0, prompt_length = 0, tokens = 0;  ///< texts timed; sizes of each
  double to_first_token = 0;        ///< seconds: prompt, encoding of passages, and sampling; median over texts
  double per_token = 0;             ///< seconds per token after the first: mean within a text, median over texts
  double fastest = 0, slowest = 0;  ///< among the texts' means
};

/// Times five texts after one uncounted warm-up text. Prompts are evenly spaced over `part`. The time covers everything: model,
/// search in the knowledge base, and nucleus sampling (0.9). Throws Error for a part shorter than a prompt, and for a model that
/// reads fewer than four tokens.
template <RealScalar R>
Latency measure_latency(Model<R>& model, const Ids& part, const ForwardContext& context = {});

}  // namespace argand
