#pragma once
/// What stands beside an op in the code, laid out: for the terminal and for docs/ops.md.

#include <string>
#include <vector>

#include "autograd/check/report.h"
#include "autograd/op.h"
#include "lab/text/style.h"

namespace argand {

/// The kinds in display order.
const std::vector<Kind>& kinds_in_order();
/// "Holomorphic ops", and what the gradient convention makes of that kind.
std::string kind_title(Kind kind);
std::string kind_rule(Kind kind);

/// Every op of that kind, by name.
std::vector<const Op*> ops_of(Kind kind);

/// The op of that name, in capitals or not, or of another name that the lab gives it (arg is angle). Throws InputError, `command`
/// first, that suggests one that is written alike.
const Op& known_op(const std::string& command, const std::string& name);

/// A note for each complex input of each of the op's cases: whether the op is holomorphic there, by numerical differentiation.
void add_wirtinger_notes(const Op& op, Report& report);

/// A line an op, by kind.
std::string op_list(const Style& style);
/// All of one op, in at most 100 columns.
std::string op_text(const Op& op, const Style& style);
/// docs/ops.md: a table of contents by kind, and all of every op.
std::string ops_markdown();

}  // namespace argand
