#pragma once
/// The quality of the text that a language model generates.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "train/checkpoints/trained_run.h"
#include "train/generation/sampling.h"

namespace argand {

struct GenerationEvalOptions {
  std::string judge;                ///< a run whose model scores the texts; may be empty
  std::int64_t prompts = 50;        ///< number of texts
  std::int64_t prompt_length = 32;  ///< length of each prompt in tokens, taken from the evaluated part
  std::int64_t tokens = 256;        ///< tokens to generate after each prompt
  SamplingOptions sampling{.top_p = 0.9};

  /// Throws ConfigError for invalid values.
  void validate() const;
};

/// Prompts evenly spaced over `part`, each followed by its continuation in `part`: [prompts, prompt_length + tokens]. Throws Error
/// if `part` is too short.
Ids original_texts(const Ids& part, const GenerationEvalOptions& options);

/// Called after every token with the number of tokens generated per prompt so far.
using GenerationWatch = std::function<void(std::int64_t done)>;

/// Takes prompts evenly spaced over `part` (ids of the run's vocabulary). Returns loss and bits per byte under the judge, Dist-1,
/// Dist-2 and Rep-4 of the text that the model generates, {"model": {"dist_1": ...}}, and, for comparison, of the original
/// continuation in `part`, {"corpus": ...}; also all options, and the texts with their prompts, one string each: words are
/// separated by spaces, so that a judge can read them; other tokens are joined into text. The ComplexFormer paper generates 256
/// tokens by nucleus sampling with p = 0.9. Throws Error if `part` is too short or if the judge lacks words of the run.
nlohmann::ordered_json eval_generation(const TrainedRun& run, const Ids& part, const GenerationEvalOptions& options,
                                       const GenerationWatch& watch = nullptr);

}  // namespace argand
