#pragma once
/// External programs that draw pictures: Graphviz's dot, gnuplot.

#include <string>
#include <vector>

namespace argand {

/// The standard output of the program, given `input` on its standard input. `words`: the program, looked up in PATH, and its
/// arguments. Throws an Error that begins with `op` if the program is not installed (naming its Debian package), fails (with the
/// first line of its standard error) or writes nothing.
std::string output_of(const std::string& op, const std::vector<std::string>& words, const std::string& input,
                      const std::string& package);

}  // namespace argand
