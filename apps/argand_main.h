#pragma once
/// The program `argand` as a function: one subcommand a file, see commands.h. A program with a family of its own calls add_family()
/// (nn/family.h) and then this.

#include <string>

namespace argand {

/// Returns the exit code.
int argand_main(int argc, char** argv, const std::string& version);

}  // namespace argand
