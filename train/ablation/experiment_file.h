#pragma once
/// Comparisons described in files: experiments/NAME.toml.

#include <string>
#include <vector>

#include "train/ablation/ablation_tables.h"

namespace argand {

struct Experiment {
  AblationTable table;
  KeyTexts shared;                 ///< for all rows, on top of the preset
  std::vector<std::string> rates;  ///< learning rates to try for each row; empty if the rows specify theirs
};

/// The file's keys: task, preset, family, source, note, costs, interventions, rates, [settings], and any number of
///
///     [[row]]    name, what, paper, extra, [row.settings]
///     [[claim]]  paper, better, worse, within, out_of_reach
///
/// as in AblationTable; experiments/README.md explains them. Throws ConfigError with file and line for invalid TOML, unknown keys,
/// values of the wrong type, duplicate row names, and claims about unknown rows. The settings are validated later, when they are
/// resolved.
Experiment read_experiment(const std::string& path);

}  // namespace argand
