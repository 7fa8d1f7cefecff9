#pragma once
/// Runs to keep in the repository: each one's configuration and a thinned log, small and without local paths. A folder of them
/// works like any other ablation: tables can be made from it, and seeds and rows added to a copy.

#include <nlohmann/json.hpp>
#include <string>

#include "train/ablation/ablation_tables.h"

namespace argand {

/// A configuration (config.json, ablation.json) with file and folder paths reduced to their last names.
nlohmann::ordered_json without_paths(nlohmann::ordered_json config);

/// A log with all validations and samples, and of the steps' lines the first, the last and every tenth, numbers to six digits;
/// fewer if it would exceed `most_bytes`, all if the log has at most a hundred lines. It starts with `made_by` unless the log
/// records its own; parameters are always included.
std::string thin_log(const std::string& log, const nlohmann::ordered_json& made_by, std::int64_t parameters,
                     std::size_t most_bytes = 40'000);

/// Copies the finished runs of the table's rows from OUT to KEPT, with the settings that all rows share. `maker`: for runs that do
/// not record what made them; its "noted" says who supplied it. Returns the number of runs. Throws InputError when KEPT holds an
/// ablation with other settings.
std::int64_t keep_runs(const AblationTable& table, const std::string& out, const std::string& kept, nlohmann::ordered_json maker);

/// The settings shared by the rows of the table's family in OUT (its ablation.json), without paths. Throws InputError, starting
/// with `place`, when OUT holds no ablation or another family's, and Error when the file is damaged.
nlohmann::ordered_json shared_by_rows(const AblationTable& table, const std::string& out, const std::string& place);

}  // namespace argand
