#pragma once
/// What `argand gradcheck` can check: ops, layers and models.

#include <functional>
#include <string>
#include <vector>

#include "autograd/check/parameter_check.h"
#include "autograd/op.h"

namespace argand {

/// Something that can be checked, not checked yet.
struct GradcheckSubject {
  std::string group;  ///< "op", "layer", "model"
  std::string name;
  std::string kind;  ///< "holomorphic", ...; of layers and models what varies, "input, parameters"
  std::function<Report(const GradcheckOptions& options)> check;
};

/// Of the table that `argand gradcheck` prints: an op's cases, or the tensors that vary.
std::int64_t cases_of(const GradcheckSubject& subject, const Report& report);

/// Every registered op, by name.
std::vector<GradcheckSubject> op_subjects();
/// Every layer of nn/, in its variants: projected on random weights, as a function of its input and its parameters.
std::vector<GradcheckSubject> layer_subjects();
/// Every model family, small, for both tasks, and every word that its configuration accepts, one at a time.
std::vector<GradcheckSubject> model_subjects();

/// The gradients of a loss by its parameters, and whether its tangents are their adjoint.
Report check_parameters(const std::function<Var<double>()>& loss, const ParameterList<double>& parameters, int samples,
                        const GradcheckOptions& options);
/// Moves parameters away from their initial values, where zeros and ones would hide mistakes.
void shake(ParameterList<double> parameters, std::uint64_t seed);

}  // namespace argand
