#pragma once
/// NaN in, NaN out. A NaN signals a broken computation, so no op may swallow one, and none may spread it to unrelated elements (a
/// causal mask must hide a future NaN like any other value). The rule:
///
/// An op's value and gradients are computed from its inputs and the incoming gradient. Replace one element of these (one part of it
/// if it is complex) by a few finite values, one at a time, leaving the others unchanged.
///
///     Results that change for any of them depend on it, and must be NaN when it is NaN (a complex number: in at least one part).
///     Results that change for none of them must be the same as before, up to rounding.
///
/// For example, the gradient of relu depends on x, being 1 on one side of 0 and 0 on the other, although its derivative with
/// respect to x is 0.

#include <cstddef>
#include <limits>
#include <string>

#include "autograd/check/report.h"
#include "autograd/op.h"
#include "autograd/op_check.h"

namespace argand {

/// Two rows: elements that must be NaN, and elements that must not change. Each fault is one line, such as "real: float32: with NaN
/// in the real part of input 0, element [1, 2], the value at [1, 2] is 0, should be NaN". Runs the op's cases in float64, float32
/// and their complex types: unchanged, with a NaN in each element in turn, and grown to lengths that are and are not multiples of a
/// pack, with a NaN in the first, the last and a few other elements. At most `most` elements of each input, and at least the first
/// and the last, become NaN.
Report check_nan(const Op& op, std::size_t most = std::numeric_limits<std::size_t>::max());
/// The same for cases of a function that is not registered as an op.
Report check_nan(std::string name, const OpCheck& check, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace argand
