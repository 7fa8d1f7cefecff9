#pragma once
/// What `argand lab` prints about a point, in at most 100 columns.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/lab_point.h"
#include "lab/style.h"

namespace argand {

/// The gradient of a real L as a framework returns it.
struct ConventionRow {
  std::string framework, call;
  std::complex<double> value;
};
/// One row each for argand, PyTorch, TensorFlow, JAX; and for JAX's holomorphic=True if f is complex and holomorphic here.
std::vector<ConventionRow> convention_rows(const Expression& f, const LabPoint& point);

/// "pass", "fail", "inconclusive", "kink", "branch cut"; "not judged" if the tape's derivative is a convention (LabPoint::gaps).
std::string_view verdict_of(const LabPoint& point, const LabFigure& figure);

std::string point_text(const Expression& f, const LabPoint& point, const Style& style);
nlohmann::json point_json(const Expression& f, const LabPoint& point);

}  // namespace argand
