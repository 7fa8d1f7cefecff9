#pragma once
/// Interventions: some parameters are set to a number, and the model is measured again.

#include "nn/model.h"
#include "train/config/settings.h"

namespace argand {

/// Puts every number of the parameters that are called as each setting's key (name_ends_with) at its value; complex ones at VALUE +
/// 0i. Throws ConfigError, the setting's place first, for a text that is not a number, and for a name that no parameter has.
template <RealScalar R>
void intervene(Model<R>& model, const Settings& settings);

}  // namespace argand
