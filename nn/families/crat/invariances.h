#pragma once
/// Transformations of the parameters that leave the outputs of a crat model unchanged.

#include "nn/invariance.h"

namespace argand {

std::vector<Invariance> crat_invariances(const ModelConfig& config);

}  // namespace argand
