#pragma once
/// A report (autograd/check/report.h) in machine-readable form.

#include <nlohmann/json_fwd.hpp>

#include "autograd/check/report.h"

namespace argand {

nlohmann::json report_json(const Report& report);

}  // namespace argand
