#pragma once
/// Interventions: parameters are set to given values before the model is evaluated again.

#include "nn/model.h"
#include "train/config/settings.h"

namespace argand {

/// Sets every element of the parameters that match a setting's key (name_ends_with) to its value, complex ones to VALUE + 0i.
/// Throws ConfigError, starting with the setting's place, if the value is not a number or if no parameter matches.
template <RealScalar R>
void intervene(Model<R>& model, const Settings& settings);

}  // namespace argand
