#pragma once
/// What is compared, as data: experiments/NAME.toml.

#include <string>
#include <vector>

#include "train/ablation/ablation_tables.h"

namespace argand {

struct Experiment {
  AblationTable table;
  KeyTexts shared;                 ///< of all rows, on top of the preset
  std::vector<std::string> rates;  ///< learning rates that each row is tried with; none where the rows have theirs
};

/// The file's keys: task, preset, family, source, note, costs, interventions, rates, [settings], and any number of
///
///     [[row]]    name, what, paper, extra, [row.settings]
///     [[claim]]  paper, better, worse, within, out_of_reach
///
/// as in AblationTable; experiments/README.md explains them. Throws ConfigError with file and line for what is not TOML, for keys
/// that there are not, values of another kind, rows of one name, and claims about rows that there are not. Whether settings can be
/// is known when they are resolved.
Experiment read_experiment(const std::string& path);

}  // namespace argand
