#pragma once
/// `argand gradcheck`: checks every op, layer and model against numerical differentiation, and prints a table.

#include <optional>
#include <string>
#include <vector>

namespace argand {

struct GradcheckCommand {
  std::vector<std::string> only;        ///< names, or parts of names, to check; empty: all
  bool list = false;                    ///< whether to print the names of the checks and run none
  bool verbose = false;                 ///< whether to print one line per element
  bool jacobian = false;                ///< whether to check every output element rather than random projections (ops only)
  bool json = false;                    ///< whether to print one JSON object instead of the table
  double tolerance = 1e-8;              ///< the limit on the worst relative error
  std::optional<std::string> external;  ///< a shell command: checks that program's function (train/checks/external_function.h)
  double timeout = 10;                  ///< time limit for an answer [s]
};

/// Prints to standard output. Returns exit_success when every check passed, exit_failure otherwise.
/// Throws InputError when a name in `only` matches nothing or the tolerance is not positive.
int run_gradcheck(const GradcheckCommand& command);

}  // namespace argand
