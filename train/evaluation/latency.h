#pragma once
/// The time a language model takes to generate each token.

#include <cstdint>

#include "core/kernels/quantized.h"
#include "nn/model.h"

namespace argand {

/// Texts are generated one at a time until the model's maximum sequence length is reached; the prompt is a quarter of that length.
struct Latency {
  std::int64_t texts = 0, prompt_length = 0, tokens = 0;  ///< texts timed; length of each prompt, tokens generated after it
  double to_first_token = 0;        ///< seconds: prompt, encoding of passages, and sampling; median over texts
  double per_token = 0;             ///< seconds per token after the first: mean within a text, median over texts
  double fastest = 0, slowest = 0;  ///< extremes of the texts' means
  std::int64_t rounded = 0;         ///< parameters that are read in a format other than the model's
  double parameter_bytes = 0;       ///< in the format that is read
  /// Seconds to read as many bytes, on all threads: a lower bound for any program that reads every parameter
  /// for each token.
  double to_read_parameters = 0;
};

/// Times five texts after one warm-up text, with prompts evenly spaced over `part`. The time includes everything: the model,
/// searching the knowledge base, and nucleus sampling (0.9). Weights are read in `format`; see quantized(). Throws Error
/// if `part` is shorter than a prompt, or if the model's maximum sequence length is less than four tokens.
template <RealScalar R>
Latency measure_latency(Model<R>& model, const Ids& part, const ForwardContext& context = {},
                        WeightFormat format = WeightFormat::f32);

}  // namespace argand
