#pragma once
/// How a table that a run was not trained on is to be read.

#include <CLI/CLI.hpp>
#include <string>

#include "train/config/run_config.h"

namespace argand {

/// What is empty is as in training.
struct OtherTable {
  std::string text_column, label_column, delimiter, header;

  bool any() const;
  void apply_to(TrainingConfig& training) const;
};

/// --text-column, --label-column where it has labels, --delimiter, --header. `table` must outlive the command.
void add_options(CLI::App& command, OtherTable& table, bool has_labels = true);

}  // namespace argand
