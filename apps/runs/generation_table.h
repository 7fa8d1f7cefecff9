#pragma once

#include "train/evaluation/generation_quality.h"

namespace argand {

/// Prints the quality of text generated after prompts from `part`, and returns the results of eval_generation.
nlohmann::ordered_json eval_texts(const TrainedRun& trained, const Ids& part, const GenerationEvalOptions& options);

}  // namespace argand
