#pragma once
/// How long a reader waits for each token that a language model writes.

#include <cstdint>

#include "nn/model.h"

namespace argand {

/// One text at a time is written, token by token, until the model's longest sequence is full; a quarter of that is its prompt.
struct Latency {
  std::int64_t texts = 0, prompt_length = 0, tokens = 0;  ///< how many were timed; of each
  double to_first_token = 0;        ///< seconds: prompt, passages that are encoded once, and a draw; median of the texts
  double per_token = 0;             ///< seconds, of each token after the first: mean within a text, median of the texts
  double fastest = 0, slowest = 0;  ///< of the texts' means
};

/// Of five texts; one more is written first, and not counted. Their prompts are evenly spaced over `part`. The time is that of the
/// whole: model, search in the knowledge base, and drawing (nucleus 0.9). Throws Error for a part shorter than a prompt, and for a
/// model that reads fewer than four tokens.
template <RealScalar R>
Latency measure_latency(Model<R>& model, const Ids& part, const ForwardContext& context = {});

}  // namespace argand
