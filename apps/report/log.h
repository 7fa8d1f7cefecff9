#pragma once
/// The log of a training run, as curves to draw.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace argand {

struct RunLog {
  std::vector<nlohmann::ordered_json> lines;  ///< objects with a "step", in the order of the file
  std::int64_t unreadable = 0;                ///< complete but invalid lines; an unterminated last line is still being written
};

/// Empty if there is no such file.
RunLog read_log(const std::string& path);

/// What the page draws: {"curves": every number of the lines by name, {"x": steps, "y": values}, long ones thinned with their peaks
/// kept; "smooth": moving means of loss and grad_norm; "clock": training time and tokens by step; "angles": θ and κ(θ) by step;
/// "confusion" and "class_accuracy" of a classifier}. Numbers that are not finite become null.
nlohmann::ordered_json curves_of(const RunLog& log);

/// Five significant digits: enough for a pixel, and a tenth of the page size. null for numbers that are not finite.
nlohmann::ordered_json for_page(double value);

}  // namespace argand
