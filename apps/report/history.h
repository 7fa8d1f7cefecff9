#pragma once
/// How a run's interpretable parameters changed during training, read from its checkpoints.

#include <nlohmann/json.hpp>

#include "train/checkpoints/checkpoint.h"
#include "train/checkpoints/run_folder.h"

namespace argand {

/// {"steps": [0, ..., last], "parameters": {name: {"shape": [...], "values": [the values of each step, flattened]}},
///  "phases": {name: {"first": [counts], "last": [counts]}}}.
/// The family decides which parameters, and whether the phases of complex weights, are included (ReportParts). Step 0 is recreated
/// from the configuration and the seed, unless the run began with other weights and kept a checkpoint of them.
nlohmann::ordered_json history_of(const RunFolder& folder, const Checkpoint& newest);

/// Equal sectors of the circle, counter-clockwise, the first one centred on phase 0.
inline constexpr std::size_t phase_bins = 24;
/// Adds arg z to the counts [phase_bins]; 0, which has no phase, is skipped.
void count_phase(std::complex<double> z, std::vector<std::int64_t>& counts);

}  // namespace argand
