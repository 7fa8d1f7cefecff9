#pragma once
/// What `argand gradcheck` checks of QIC, and which changes of its parameters leave a model as it is.

#include "nn/family.h"
#include "nn/invariance.h"

namespace argand {

GradientChecks qic_checks();
std::vector<Invariance> qic_invariances(const ModelConfig& config);

}  // namespace argand
