#pragma once
/// QIC's angles θ, which decide in which algebra a layer computes: J² = κ(θ) = -1 + sin 2θ.

#include <string>
#include <vector>

#include "autograd/parameter.h"
#include "data/files/safetensors.h"

namespace argand {

struct Angles {
  std::string name;            ///< of the parameter: "theta" or "... .theta"
  std::vector<double> values;  ///< radians; one, or one a head
};

/// Of a model in training, and of a checkpoint: every real parameter called theta.
template <RealScalar R>
std::vector<Angles> angles_of(const ParameterList<R>& parameters);
std::vector<Angles> angles_of(const SafetensorsFile& file);

/// One line a parameter: each angle, and its κ: -1 where J is i, 0 where numbers are dual. Empty without angles.
std::vector<std::string> angle_table(const std::vector<Angles>& angles);

}  // namespace argand
