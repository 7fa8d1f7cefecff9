#pragma once
/// The figures of an evaluation as JSON, as `argand eval --json` writes them.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/evaluation/evaluation.h"

namespace argand {

using Figures = nlohmann::ordered_json;

/// For a classifier, includes the figures of each class; a ratio with denominator 0 is null.
Figures figures_of(const Evaluation& evaluation, const std::vector<std::string>& classes);

}  // namespace argand
