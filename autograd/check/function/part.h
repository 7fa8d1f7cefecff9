#pragma once
/// Restricts a function of several inputs to some neighbouring elements of one input, with the rest held fixed.

#include "autograd/check/scalar_projection.h"

namespace argand {

/// Elements [first, first + count) of x, of shape [count].
AnyTensor part_of(const AnyTensor& x, std::int64_t first, std::int64_t count);

/// f at `inputs` as a function of only that part of inputs[input].
DifferentiableFunction part_of(const DifferentiableFunction& f, const std::vector<AnyTensor>& inputs, std::size_t input,
                               std::int64_t first, std::int64_t count);

}  // namespace argand
