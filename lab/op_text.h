#pragma once
/// Formats the documentation in the ops' code for the terminal and for docs/ops.md.

#include <string>
#include <vector>

#include "autograd/check/report.h"
#include "autograd/op.h"
#include "lab/style.h"

namespace argand {

/// The kinds in display order.
const std::vector<Kind>& kinds_in_order();
/// A heading such as "Holomorphic ops", and the gradient convention for that kind.
std::string kind_title(Kind kind);
std::string kind_rule(Kind kind);

/// Every op of that kind, sorted by name.
std::vector<const Op*> ops_of(Kind kind);

/// The op with that name, ignoring case, or with an alias that the lab accepts (arg for angle). Throws an InputError that begins
/// with `command` and suggests a similar name.
const Op& known_op(const std::string& command, const std::string& name);

/// Adds, for each complex input in each case of the op, whether numerical differentiation finds the op holomorphic.
void add_wirtinger_notes(const Op& op, Report& report);

/// One line per op, grouped by kind.
std::string op_list(const Style& style);
/// Everything about one op, in at most 100 columns.
std::string op_text(const Op& op, const Style& style);
/// The contents of docs/ops.md: a table of contents by kind, then all ops.
std::string ops_markdown();

}  // namespace argand
