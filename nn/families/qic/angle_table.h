#pragma once
/// QIC's angles θ, which decide in which algebra a layer computes: J² = κ(θ) = -1 + sin 2θ.

#include "nn/family.h"

namespace argand {

/// One line a parameter: each angle in radians, and its κ: -1 where J is i, 0 where numbers are dual. Of all parameters called
/// theta, or "... .theta".
std::vector<std::string> angle_table(const std::vector<NamedNumbers>& parameters);

}  // namespace argand
