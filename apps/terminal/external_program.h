#pragma once
/// External programs that draw for us: Graphviz's dot, gnuplot.

#include <string>
#include <vector>

namespace argand {

/// The standard output of the program, given `input` on its standard input. `words`: the program, looked up in PATH, and its
/// arguments. Throws Error, `op` first: when it is not installed (naming the Debian package that has it), when it fails (with the
/// first line of its standard error) and when it writes nothing.
std::string output_of(const std::string& op, const std::vector<std::string>& words, const std::string& input,
                      const std::string& package);

}  // namespace argand
