#pragma once
/// The ablations of the families' papers.

#include "nn/family.h"

namespace argand {

/// Throws InputError, with a suggestion, for a family without a table.
const AblationTable& ablation_table(const std::string& family);

/// "complexformer|crope|crat|qic"
std::string ablation_families();

}  // namespace argand
