#pragma once
/// A full report on a step that produced a non-finite value, as text and as JSON.

#include <string>

#include "train/loop/training_run.h"

namespace argand {

/// {"step", "pass", "op", "scope", "summary", "singular_points", "tensors": [{"role", "of", "numbers", "shape", "min_abs",
/// "mean_abs", "max_abs", "nan", "inf"}], "batch": {"number", "rows": [{"place", "tokens", "targets" or "label", "text"}]},
/// "config"}. A row's place is where its window begins in the training text, or the index of its training article; the
/// configuration, its seed and `number` suffice to reproduce the batch.
std::string non_finite_json(const NonFiniteStep& step, const RunConfig& config, const TrainingData& data);

/// Lists the op, a table of its inputs and outputs, a hint, and the first tokens of each row of the batch.
std::string non_finite_text(const NonFiniteStep& step, const TrainingData& data);

}  // namespace argand
