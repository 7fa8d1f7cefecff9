#pragma once
/// `argand eval --retrieved-by`: the loss on tokens that occur in the passages that a run's model retrieves for them, and on other
/// tokens.

#include <nlohmann/json.hpp>

#include "train/checkpoints/trained_run.h"
#include "train/evaluation/evaluation.h"

namespace argand {

/// Prints the losses of a run's model on the six groups of tokens in train/evaluation/retrieved_words.h, and returns them. `reader`
/// is the run or checkpoint whose model retrieves; it must have the same tokens, and accept windows as long as the set's. Throws
/// InputError.
nlohmann::ordered_json eval_retrieved(const TrainedRun& trained, const EvaluationSet& set, const std::string& reader);

}  // namespace argand
