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

/// The loss of every batch with its number of tokens and bytes, or whether its articles are labelled correctly: arrays in the order
/// of the text. With batches of one, these are windows or articles.
Figures figures_of_batches(const Evaluation& evaluation);

}  // namespace argand
