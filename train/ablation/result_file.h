#pragma once
/// The file that keeps an ablation's results: JSON, one line per run, of a size for a repository. It has what tables and figures
/// need of a run: losses, probes, a thinned curve, settings, program and processor.

#include <string>
#include <string_view>

#include "train/ablation/result_table.h"

namespace argand {

/// Results as the file has them; `path` is for messages. Throws InputError, starting with the path and the place in the file, for
/// what is no such file: damaged JSON, missing and unknown keys, values of the wrong type, rows and seeds that are there twice.
ResultTable parse_results(std::string_view text, const std::string& path);
/// The same of the file at `path`.
ResultTable read_result_file(const std::string& path);

/// The file's text, numbers rounded: curves to 5 significant digits, costs to 9, probes to 10, losses not at all. All runs must
/// have the same steps in their curves (reduce, joined).
std::string result_text(const ResultTable& runs);

}  // namespace argand
