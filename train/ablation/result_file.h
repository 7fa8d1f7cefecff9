#pragma once
/// The file that stores the results of an ablation: JSON, one line per run, small enough for a repository. For each run it contains
/// what tables and figures need: losses, probes, a thinned curve, settings, program and processor.

#include <string>
#include <string_view>

#include "train/ablation/result_table.h"

namespace argand {

/// Parses the text of a results file; `path` is used in messages. Throws InputError, starting with the path and the location in the
/// file, for damaged JSON, missing or unknown keys, values of the wrong type, and duplicate rows or seeds.
ResultTable parse_results(std::string_view text, const std::string& path);
/// Reads and parses the file at `path`.
ResultTable read_result_file(const std::string& path);

/// The text of a results file. Curves are rounded to 5 significant digits, costs to 9, probes to 10; losses and results by rate are
/// not rounded. The curves of all runs must have the same steps (see reduce(), joined()).
std::string result_text(const ResultTable& runs);

}  // namespace argand
