#pragma once
/// The quality of the text that a language model generates.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "train/checkpoints/trained_run.h"
#include "train/generation/sampling.h"

namespace argand {

struct GenerationEvalOptions {
  std::string judge;                ///< another run, whose model says the likelihood of the texts; empty: none
  std::int64_t prompts = 50;        ///< number of texts
  std::int64_t prompt_length = 32;  ///< tokens of the evaluated part before each of them
  std::int64_t tokens = 256;        ///< tokens to generate after each prompt
  SamplingOptions sampling{.top_p = 0.9};

  /// Throws ConfigError for values that make no sense.
  void validate() const;
};

/// Prompts evenly spaced over `part`, and their continuation in the text itself: [prompts, prompt_length + tokens]. Throws Error
/// when the part is too short.
Ids original_texts(const Ids& part, const GenerationEvalOptions& options);

/// Called after every token: this many are written after each prompt.
using GenerationWatch = std::function<void(std::int64_t done)>;

/// Prompts evenly spaced over `part` (ids of the run's vocabulary); loss and bits a byte under the judge, Dist-1, Dist-2 and Rep-4
/// of what the model writes, {"model": {"dist_1": ...}}, and, to compare with, of the continuation in `part` itself, {"corpus":
/// ...}. The protocol of the ComplexFormer paper: 256 tokens by nucleus sampling at 0.9. Throws Error when the part is too short or
/// the judge lacks words of the run. Beside the figures are all options, and the texts, prompt and all, one string each: words with
/// spaces between them, by which a judge can still find them, or what other tokens stand for.
nlohmann::ordered_json eval_generation(const TrainedRun& run, const Ids& part, const GenerationEvalOptions& options,
                                       const GenerationWatch& watch = nullptr);

}  // namespace argand
