#pragma once
/// NaN in, NaN out. A NaN is how a broken computation announces itself, so no op may swallow one, and none may hand it to numbers
/// that have nothing to do with it (a causal mask must hide a NaN of the future as it hides any other number). The rule:
///
/// An op's value and gradients are numbers computed from the numbers of its inputs and of the incoming gradient. One of those, one
/// part of it where it is complex, is replaced by a few finite values, one at a time, the others left as they are.
///
///     What changes for any of them depends on it, and must be NaN when it is NaN (a complex number: in one part at least).
///     What changes for none of them must be the same as before, but for rounding.
///
/// So the gradient of relu depends on x, as it is 1 on one side of 0 and 0 on the other, although its derivative by x is 0.

#include <string>

#include "autograd/check/report.h"
#include "autograd/op.h"
#include "autograd/op_check.h"

namespace argand {

/// Two rows: numbers that must be NaN, and numbers that must stay; each fault is a line, "real: float32: with NaN in the real part
/// of input 0, element [1, 2], the value at [1, 2] is 0, should be NaN". Runs the op's cases in float64, float32 and their complex
/// types: with a NaN in every number as they are, and in the first, the last and a few more when grown to lengths that packs divide
/// and that they do not.
Report check_nan(const Op& op);
/// The same for cases of a function that is not an op itself.
Report check_nan(std::string name, const OpCheck& check);

}  // namespace argand
