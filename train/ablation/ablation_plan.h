#pragma once
/// Settings requested for all rows of an ablation, on top of each row's settings.

#include <cstdint>
#include <string>
#include <vector>

#include "train/ablation/ablation_tables.h"
#include "train/config/settings.h"

namespace argand {

/// Options that were not requested are 0 or "".
struct AblationRequest {
  std::string data{};
  Settings settings{};
  std::int64_t steps = 0, epochs = 0;
  bool quick = false;
  KeyTexts of_file{};  ///< an experiment's settings for all rows; requested ones take precedence
  bool cost = false;   ///< run only as many steps as needed to measure the cost
};

/// The requested rows, in table order; if none are requested, all rows except extra ones without a folder in `out`. Throws
/// InputError for an unknown row, saying that `holder`, by default the family, has no row of that name.
AblationTable with_rows(const AblationTable& table, const std::vector<std::string>& wanted, const std::string& out,
                        const std::string& holder = "");
/// The rows that have a folder in `out`; if none has, all but the extra rows.
AblationTable with_rows_in(const AblationTable& table, const std::string& out);

/// The settings of every row: the requested ones, and the ablation's defaults for the rest. A requested preset determines the
/// length. Throws ConfigError for a repeated key, and for a key that cannot be common to all rows: seed, family, and the keys in
/// which the rows of the whole table differ.
KeyTexts shared_settings(const AblationTable& whole, const AblationTable& table, const AblationRequest& request);

/// All settings of a run, each key once: preset, seed, the row's settings, shared settings; later ones take precedence. There is
/// one validation, at the end, unless settings or a requested preset say otherwise.
Settings settings_of_run(const AblationTable& table, const AblationRow& row, std::int64_t seed, const KeyTexts& shared);

}  // namespace argand
