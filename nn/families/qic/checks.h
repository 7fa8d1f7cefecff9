#pragma once
/// QIC's gradient checks for `argand gradcheck`, and parameter changes that leave a model's outputs unchanged.

#include "nn/family.h"
#include "nn/invariance.h"

namespace argand {

GradientChecks qic_checks();
std::vector<Invariance> qic_invariances(const ModelConfig& config);

}  // namespace argand
