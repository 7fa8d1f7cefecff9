#pragma once
/// A step that ended at a number that is not finite, reported in full, as text and as a file.

#include <string>

#include "train/loop/training_run.h"

namespace argand {

/// {"step", "pass", "op", "scope", "summary", "singular_points", "tensors": [{"role", "of", "numbers", "shape", "min_abs",
/// "mean_abs", "max_abs", "nan", "inf"}], "batch": {"number", "rows": [{"place", "tokens", "targets" or "label", "text"}]},
/// "config"}. A row's place is where in the training text its window begins, or which training article it is; with the
/// configuration and its seed, `number` makes the same batch again.
std::string non_finite_json(const NonFiniteStep& step, const RunConfig& config, const TrainingData& data);

/// The op, a table of what it read and made, a hint, and the rows of the batch with the words they begin with.
std::string non_finite_text(const NonFiniteStep& step, const TrainingData& data);

}  // namespace argand
