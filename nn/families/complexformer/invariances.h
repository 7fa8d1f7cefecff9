#pragma once
/// Transformations of the parameters that leave the outputs of a complexformer model unchanged.

#include "nn/invariance.h"

namespace argand {

std::vector<Invariance> complexformer_invariances(const ModelConfig& config);

}  // namespace argand
