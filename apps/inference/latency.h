#pragma once
/// argand eval --latency: how long a reader waits for a token that a language model writes.

#include <cstdint>

#include "apps/inference/sampling.h"
#include "nn/model.h"

namespace argand {

/// A text is written alone, token by token, until the model's longest sequence is full; a quarter of that is its prompt.
struct Latency {
  std::int64_t texts = 5;
  std::int64_t prompt_length = 0, tokens = 0;  ///< of each text
  double prompt_seconds = 0;                   ///< until the first token is there; median of the texts
  double token_seconds = 0;                    ///< of each token after it: mean within a text, median of the texts
  double fastest = 0, slowest = 0;             ///< of the texts' means
};

/// Prompts are evenly spaced over `part`. One more text is written first, and not counted. The time is that of the whole of it:
/// model, search in the knowledge base, and drawing (nucleus 0.9). Throws Error for a part shorter than a prompt, and for a model
/// that reads fewer than four tokens.
template <RealScalar R>
Latency measure_latency(Model<R>& model, const Ids& part, const ForwardContext& context = {});

}  // namespace argand
