#pragma once
/// Checks the gradient of a whole model, end to end: a loss as a function of named parameters, a few elements of which are varied.

#include <functional>

#include "autograd/gradcheck.h"
#include "autograd/parameter.h"

namespace argand {

/// Checks `samples_per_tensor` elements of each parameter (all of them if it has no more): half of them are those with the largest
/// analytic gradients, the others are random. `loss` must be a pure function of the parameters (dropout off, or its seed fixed); it
/// is called at least forty times per real number. Restores the parameters and clears their gradients. One row per parameter;
/// options.name becomes the report's name. Throws when two calls of `loss` differ.
Report gradcheck_parameters(const std::function<Var<double>()>& loss, ParameterList<double> parameters, int samples_per_tensor = 4,
                            const GradcheckOptions& options = {});

}  // namespace argand
