#pragma once
/// How the parameters that have a meaning of their own moved while a run trained: read from the checkpoints on its way.

#include <nlohmann/json.hpp>

#include "train/checkpoints/checkpoint.h"
#include "train/checkpoints/run_folder.h"

namespace argand {

/// {"steps": [0, ..., last], "parameters": {name: {"shape": [...], "values": [flat numbers of each step]}},
///  "phases": {name: {"first": [counts], "last": [counts]}}}.
/// Which parameters, and whether the phases of complex weights, the family says (ReportParts). Step 0 is made again from
/// configuration and seed, unless the run began with other weights and kept it.
nlohmann::ordered_json history_of(const RunFolder& folder, const Checkpoint& newest);

/// Equal sectors of the circle, counter-clockwise, the first one around the phase 0.
inline constexpr std::size_t phase_bins = 24;
/// Adds arg z to the counts [phase_bins]; 0, which has no phase, is left out.
void count_phase(std::complex<double> z, std::vector<std::int64_t>& counts);

}  // namespace argand
