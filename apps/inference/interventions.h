#pragma once
/// What a model makes of its parameters: some of them are put at a number, and it is measured again.

#include <string>
#include <vector>

#include "nn/model.h"

namespace argand {

/// Puts every number of the parameters that are called NAME (is_called) at VALUE, for each "NAME=VALUE"; complex ones at VALUE +
/// 0i. Throws UsageError naming `option` for a text that is no such thing, and for a name that no parameter has.
template <RealScalar R>
void intervene(Model<R>& model, const std::vector<std::string>& settings, const std::string& option);

}  // namespace argand
