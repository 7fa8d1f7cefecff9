#pragma once
/// What an op's own check found, laid out below what is said of the op (apps/lab/op_text.h).

#include <string>

#include "apps/terminal/terminal.h"
#include "autograd/check/op_report.h"

namespace argand {

/// Worst errors and error bars of each case, both Wirtinger derivatives of each complex input, and what is returned at the declared
/// singular points, in at most 100 columns.
std::string op_check_text(const Op& op, const OpReport& report, const Style& style);

}  // namespace argand
