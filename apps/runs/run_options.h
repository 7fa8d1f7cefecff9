#pragma once
/// The configuration of a run as options of a subcommand.

#include <CLI/CLI.hpp>

#include "train/config/run_config.h"

namespace argand {

/// Adds to a subcommand --preset, --config, and an option for every key that the task has in any family. After parsing,
/// resolve() reads the file, if any, and returns the configuration; the object must outlive the parsing.
class RunOptions {
 public:
  RunOptions(CLI::App& command, std::string task);
  RunConfig resolve() const { return resolve(given_); }
  /// Resolves with these settings instead of the ones from the command line.
  RunConfig resolve(const Settings& given) const;
  bool has_file() const { return !file_.empty(); }
  const std::string& file() const { return file_; }
  /// The options from the command line, in the order of the keys.
  const Settings& given() const { return given_; }

 private:
  std::string task_;
  Settings given_;
  std::string file_;
};

}  // namespace argand
