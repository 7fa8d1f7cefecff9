#pragma once
/// Options for reading a table that a run was not trained on.

#include <CLI/CLI.hpp>
#include <string>

#include "train/config/run_config.h"

namespace argand {

/// Empty fields mean "as in training".
struct OtherTable {
  std::string text_column, label_column, delimiter, header;

  bool any() const;
  void apply_to(TrainingConfig& training) const;
};

/// Adds --text-column, --label-column if the table has labels, --delimiter, --header. `table` must outlive the command.
void add_options(CLI::App& command, OtherTable& table, bool has_labels = true);

}  // namespace argand
