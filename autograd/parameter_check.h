#pragma once
/// The gradient of a whole model, end to end: a loss as a function of named parameters, of which a few elements are varied.

#include <functional>
#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "autograd/parameter.h"

namespace argand {

struct ParameterElement {
  std::string parameter;
  Shape shape = {};
  bool is_complex = false;
  std::int64_t element = 0;  ///< in row-major order
  Comparison values = {};
  double relative_error = 0;  ///< |analytic − numerical| / the parameter's largest |gradient|
  Verdict verdict = Verdict::Pass;
};

struct ParameterReport {
  std::vector<ParameterElement> elements;
  double worst_relative_error = 0;
  std::vector<std::string> messages;  ///< one for each parameter and kind of trouble
  std::vector<std::string> blamed;    ///< ops whose own check fails as well

  std::int64_t count(Verdict verdict) const;
  /// Every element passed, and there was one.
  bool ok() const;
  std::string message() const;
};

/// Checks `samples_per_tensor` elements of each parameter (all, if it has no more): those with the largest analytic gradient and,
/// for the other half, random ones. `loss` must be a pure function of the parameters (dropout off, or its seed fixed); it is
/// called some thirty times an element. Parameters are restored, their gradients cleared. Messages begin with options.name.
/// Throws when two calls of `loss` differ.
ParameterReport gradcheck_parameters(const std::function<Var<double>()>& loss, ParameterList<double> parameters,
                                     int samples_per_tensor = 4, const GradcheckOptions& options = {});

}  // namespace argand
