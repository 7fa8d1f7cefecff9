#pragma once
/// The results of an evaluation as JSON, as written by `argand eval --json`.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/evaluation/evaluation.h"

namespace argand {

using Figures = nlohmann::ordered_json;

/// For a classifier, this includes the results for each class; a ratio with denominator 0 is null.
Figures figures_of(const Evaluation& evaluation, const std::vector<std::string>& classes);

}  // namespace argand
