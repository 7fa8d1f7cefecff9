#pragma once
/// Interventions: setting some parameters to a number before evaluating the model again.

#include "nn/model.h"
#include "train/config/settings.h"

namespace argand {

/// Sets every number of the parameters named by each setting's key (name_ends_with) to its value; complex ones to VALUE + 0i.
/// Throws ConfigError, starting with the setting's place, for a text that is not a number and for a name that matches no parameter.
template <RealScalar R>
void intervene(Model<R>& model, const Settings& settings);

}  // namespace argand
