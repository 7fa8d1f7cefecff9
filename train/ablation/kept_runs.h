#pragma once
/// Runs to keep beside the code: of each its configuration and a thin log, small enough for a repository, without a path of the
/// machine. A folder of them is an ablation like any other: tables are made of it, and more seeds and rows added to a copy.

#include <nlohmann/json.hpp>
#include <string>

#include "train/ablation/ablation_tables.h"

namespace argand {

/// A configuration (config.json, ablation.json) in which files and folders have their last names alone.
nlohmann::ordered_json without_paths(nlohmann::ordered_json config);

/// A log with all validations and samples, and of the steps' lines the first, the last and every tenth, their numbers to six
/// digits; fewer where it would be longer than `most_bytes`, all of a log of a hundred lines at most. It begins with `made_by`,
/// unless the log says by what it was made; parameters are there in any case.
std::string thin_log(const std::string& log, const nlohmann::ordered_json& made_by, std::int64_t parameters,
                     std::size_t most_bytes = 40'000);

/// Copies the finished runs of the table's rows from OUT to KEPT, and what all rows share. `maker`: for runs that do not say by
/// what they were made; "noted" in it says who says so. Returns how many there were. Throws InputError when KEPT holds an ablation
/// with other settings.
std::int64_t keep_runs(const AblationTable& table, const std::string& out, const std::string& kept, nlohmann::ordered_json maker);

/// What is shared by the rows of the table's family in OUT (its ablation.json), without paths. Throws InputError, `place` first,
/// where OUT holds no ablation or one of another family, and Error where the file is damaged.
nlohmann::ordered_json shared_by_rows(const AblationTable& table, const std::string& out, const std::string& place);

}  // namespace argand
