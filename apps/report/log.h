#pragma once
/// What a run wrote down while it trained, as curves to draw.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace argand {

struct RunLog {
  std::vector<nlohmann::ordered_json> lines;  ///< objects with a "step", in the order of the file
  std::int64_t unreadable = 0;                ///< whole lines that are none; a last line without an end is still being written
};

/// Empty when there is no such file.
RunLog read_log(const std::string& path);

/// What the page draws: {"curves": every number of the lines by name, {"x": steps, "y": values}, long ones thinned so that their
/// peaks stay; "smooth": means of loss and grad_norm over a while; "clock": training time and tokens by step; "angles": θ and κ(θ)
/// by step; "confusion" and "class_accuracy" of a classifier}. Numbers that are not finite become null.
nlohmann::ordered_json curves_of(const RunLog& log);

/// Five significant digits: enough for a pixel, and a page of a tenth of the size. null for what is not finite.
nlohmann::ordered_json for_page(double value);

}  // namespace argand
