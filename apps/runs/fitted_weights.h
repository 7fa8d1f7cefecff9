#pragma once
/// What a run that begins with other weights says of them.

#include "train/checkpoints/initial_weights.h"

namespace argand {

/// One line that says how much was taken, and one for each kind of exception.
std::vector<std::string> lines_of(const FittedWeights& weights);

}  // namespace argand
