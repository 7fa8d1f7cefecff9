#pragma once
/// The configuration of a run as options of a subcommand.

#include <CLI/CLI.hpp>

#include "train/config/run_config.h"

namespace argand {

/// Adds an option for every key that the task has with any family and for --preset and --config to a subcommand. After parsing, the
/// returned function reads the file if there is one and resolves; the object must outlive the parsing.
class RunOptions {
 public:
  RunOptions(CLI::App& command, std::string task);
  RunConfig resolve() const { return resolve(given_); }
  /// With these settings in the place of those that were given.
  RunConfig resolve(const Settings& given) const;
  bool has_file() const { return !file_.empty(); }
  const std::string& file() const { return file_; }
  /// The options that were given, in the order of the keys.
  const Settings& given() const { return given_; }

 private:
  std::string task_;
  Settings given_;
  std::string file_;
};

}  // namespace argand
