#pragma once
/// The program `argand` as a function: one subcommand a file, see commands.h. A program with a family of its own calls add_family()
/// (nn/family.h) and then this.

#include <string>

namespace argand {

/// Returns the exit code. `commit`: what the program was built from, where that is known; the logs of runs say it.
int argand_main(int argc, char** argv, const std::string& version, const std::string& commit = "");

}  // namespace argand
