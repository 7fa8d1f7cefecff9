#pragma once
/// `argand ablate --search`: gives every row its best learning rate.

#include <string>
#include <vector>

#include "apps/ablation/ablation.h"

namespace argand {

/// Gives each row the best of its rates, which are those of its own `lr` or else `of_all`; a row with one rate keeps it. With
/// `search`, first trains the missing runs of the sweeps in OUT/search/ROW. Returns the signal that stopped it, or 0. Throws
/// InputError for a row whose search has not finished, and Error for runs that failed.
int set_rates(AblationTable& table, const std::vector<std::string>& of_all, const AblationOptions& run, bool search);

}  // namespace argand
