#pragma once
/// The program `argand` as a function. Each subcommand has its own file (commands.h). A program with its own family calls
/// add_family() (nn/family.h) and then this function.

#include <string>

namespace argand {

/// Returns the exit code. `commit`: the commit the program was built from, if known; recorded in the logs of runs.
int argand_main(int argc, char** argv, const std::string& version, const std::string& commit = "");

}  // namespace argand
