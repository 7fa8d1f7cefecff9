#pragma once
/// The gradient of a whole model, end to end: a loss as a function of named parameters, of which a few elements are varied.

#include <functional>

#include "autograd/gradcheck.h"
#include "autograd/parameter.h"

namespace argand {

/// Checks `samples_per_tensor` elements of each parameter (all, if it has no more): those with the largest analytic gradient and,
/// for the other half, random ones. `loss` must be a pure function of the parameters (dropout off, or its seed fixed); it is
/// called some thirty times an element. Parameters are restored, their gradients cleared. One row a parameter, and options.name is
/// that of the report. Throws when two calls of `loss` differ.
Report gradcheck_parameters(const std::function<Var<double>()>& loss, ParameterList<double> parameters, int samples_per_tensor = 4,
                            const GradcheckOptions& options = {});

}  // namespace argand
