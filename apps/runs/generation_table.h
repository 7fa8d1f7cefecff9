#pragma once

#include "train/evaluation/generation_quality.h"

namespace argand {

/// Prints the quality of the texts that the model writes after prompts from `part`, and returns the figures (eval_generation).
nlohmann::ordered_json eval_texts(const TrainedRun& trained, const Ids& part, const GenerationEvalOptions& options);

}  // namespace argand
