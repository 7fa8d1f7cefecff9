#pragma once
/// The log of a training run, as curves to draw.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace argand {

struct RunLog {
  std::vector<nlohmann::ordered_json> lines;  ///< objects with a "step", in the order of the file
  std::int64_t unreadable = 0;                ///< complete but invalid lines, not counting an unterminated last line
};

/// Returns an empty log if there is no such file.
RunLog read_log(const std::string& path);

/// What the page draws: {"curves": each logged value by name as {"x": steps, "y": values}, thinned if long but keeping the peaks;
/// "smooth": moving means of loss and grad_norm; "clock": training time and tokens by step; "angles": θ and κ(θ) by step;
/// "confusion" and "class_accuracy" of a classifier}. Non-finite values become null.
nlohmann::ordered_json curves_of(const RunLog& log);

/// Rounds to five significant digits, which is accurate to a pixel and makes the page ten times smaller. Returns null for
/// non-finite values.
nlohmann::ordered_json for_page(double value);

}  // namespace argand
