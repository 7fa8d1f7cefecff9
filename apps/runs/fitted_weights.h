#pragma once
/// Describes the initial weights of a run that starts from existing weights.

#include "train/checkpoints/initial_weights.h"

namespace argand {

/// One line saying how much was loaded, and one for each kind of exception.
std::vector<std::string> lines_of(const FittedWeights& weights);

}  // namespace argand
