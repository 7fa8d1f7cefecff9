#pragma once
/// What is asked of all rows of an ablation, besides what each is.

#include <cstdint>
#include <string>
#include <vector>

#include "train/ablation/ablation_tables.h"
#include "train/config/settings.h"

namespace argand {

/// 0 and "" for what was not said.
struct AblationRequest {
  std::string data{};
  Settings settings{};
  std::int64_t steps = 0, epochs = 0;
  bool quick = false;
  KeyTexts of_file{};  ///< what an experiment says of all rows; what is asked for wins
  bool cost = false;   ///< only as many steps as it takes to see what one costs
};

/// Only the rows asked for, in the table's order; without any, all but the extra ones that have no folder in `out`. Throws
/// InputError for a row that there is not, saying that `holder`, by default the family, has none of that name.
AblationTable with_rows(const AblationTable& table, const std::vector<std::string>& wanted, const std::string& out,
                        const std::string& holder = "");
/// The rows that have a folder in `out`; all but the extra ones where none has.
AblationTable with_rows_in(const AblationTable& table, const std::string& out);

/// Keys and texts of every row: what was asked for, and for the rest the defaults of an ablation. A preset that was asked for
/// brings its own length. Throws ConfigError for a key that is said twice, and for one that is not for all rows to have alike:
/// seed, family, and what the rows of the whole table differ in.
KeyTexts shared_settings(const AblationTable& whole, const AblationTable& table, const AblationRequest& request);

/// All settings of a run, each key once: the preset's name, the seed, what the row is, what all rows share. The last word counts.
/// There is one validation, at the end, unless settings or a preset that was asked for say otherwise.
Settings settings_of_run(const AblationTable& table, const AblationRow& row, std::int64_t seed, const KeyTexts& shared);

}  // namespace argand
