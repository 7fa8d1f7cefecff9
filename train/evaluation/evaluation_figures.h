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

/// Arrays with an entry per batch, in the order of the text: the loss, the number of tokens or articles, and the number of bytes or
/// of articles labelled correctly. With a batch size of 1, each entry is for one window or article.
Figures figures_of_batches(const Evaluation& evaluation);

}  // namespace argand
