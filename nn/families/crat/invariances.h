#pragma once
/// What changes of its parameters leave a model of this family as it is.

#include "nn/invariance.h"

namespace argand {

std::vector<Invariance> crat_invariances(const ModelConfig& config);

}  // namespace argand
