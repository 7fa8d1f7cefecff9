#pragma once
/// Shared by all subcommands: exit codes, and error reporting for the command line.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "core/error.h"

namespace argand {

/// Thrown when training produced non-finite values.
class DivergedError : public Error {
 public:
  using Error::Error;
};

enum ExitCode : int {
  exit_success = 0,
  exit_failure = 1,   ///< bad data, a failed check, a full disk, ...
  exit_usage = 2,     ///< an invalid option, value or combination of sizes
  exit_diverged = 3,  ///< a training run had a non-finite loss or gradient
};

/// Adds --threads, the number of threads for the command. The default is all processors that the process may use.
void add_threads(CLI::App& command, const std::string& group = "Options", const std::string& help = "number of threads");
/// Adds an option whose value is one of `choices`.
CLI::Option* add_choice(CLI::App& command, const char* name, std::string& value, const char* help,
                        const std::vector<std::string>& choices);
/// Adds --weights, the format of the copies of weights that products read (core/kernels/quantized.h).
void add_weights(CLI::App& command, std::string& format);

/// Parses, runs the chosen subcommand, and returns the exit code. Every failure becomes one line on standard error, `argand: ...`;
/// nothing is thrown. If `takes_expressions`, a word such as -z^2 or -i is not an option but an expression that begins with a minus
/// sign. `reworded` may change the text of an error before it is printed; null: unchanged.
int run_program(CLI::App& program, int argc, const char* const* argv, bool takes_expressions,
                const std::function<std::string(const std::string&)>& reworded);

}  // namespace argand
