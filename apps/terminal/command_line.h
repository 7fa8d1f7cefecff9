#pragma once
/// What all subcommands share: how mistakes on the command line are reported, and the exit codes.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "core/error.h"

namespace argand {

/// Training came to numbers that are not finite.
class DivergedError : public Error {
 public:
  using Error::Error;
};

enum ExitCode : int {
  exit_success = 0,
  exit_failure = 1,   ///< bad data, a failed check, a full disk, ...
  exit_usage = 2,     ///< an option, a word or a combination of sizes that cannot be
  exit_diverged = 3,  ///< a loss or a gradient of a training run is not finite
};

/// Adds --threads: how many threads the command computes with. All processors that the process may use are the default.
void add_threads(CLI::App& command, const std::string& group = "Options", const std::string& help = "number of threads");

/// Parses, runs the chosen subcommand, and returns the exit code. Every failure becomes one line on standard error,
/// `argand: ...`; nothing is thrown. After one of the commands `with_expressions` a word such as -z^2 or -i is not an option, but
/// an expression that begins with a minus. `reworded`: what to print of an error's text; null: all of it.
int run_program(CLI::App& program, int argc, const char* const* argv, const std::vector<std::string>& with_expressions = {},
                const std::function<std::string(const std::string&)>& reworded = nullptr);

}  // namespace argand
