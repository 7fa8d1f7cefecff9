#pragma once
/// What `argand gradcheck` can check and what comes out: one row for each op, layer or model.

#include <functional>
#include <string>
#include <vector>

#include "autograd/check/adjoint.h"
#include "autograd/parameter_check.h"

namespace argand {

struct GradcheckRow {
  std::string kind;                  ///< "holomorphic", ...
  std::int64_t cases = 0;            ///< functions differentiated, or tensors varied
  std::int64_t singular_points = 0;  ///< declared singular points visited
  std::int64_t elements = 0;
  std::int64_t passed = 0, failed = 0, inconclusive = 0, kinks = 0, cuts = 0;
  double worst_relative_error = 0;
  double worst_adjoint_error = 0;  ///< of the adjoint identity between tangents and gradients (autograd/check/adjoint.h)
  std::int64_t uses = 0;           ///< numbers compared between ways to use the gradient (autograd/check/usage/usage.h); ops only
  bool ok = false;
  std::string message;             ///< what went wrong, one a line
  std::vector<std::string> lines;  ///< every element, when asked for
};

/// Something that can be checked, not checked yet.
struct GradcheckSubject {
  std::string group;  ///< "op", "layer", "model"
  std::string name;
  std::function<GradcheckRow(const GradcheckOptions& options, bool every_element)> check;
};

/// "holomorphic: |∂w/∂z| up to 2.3, |∂w/∂z̄| up to 1e-15, both ± 4e-13", by numerical differentiation.
std::string wirtinger_line(const OpCheck::Case& c, std::size_t input);

/// Every registered op, by name.
std::vector<GradcheckSubject> op_subjects();
/// Every layer of nn/, in its variants: projected on random weights, as a function of its input and its parameters.
std::vector<GradcheckSubject> layer_subjects();
/// Every model family, small, for both tasks, and every word that its configuration accepts, one at a time.
std::vector<GradcheckSubject> model_subjects();

/// The row of a check of parameters. `kind` is what varies, "input, parameters" or "parameters".
GradcheckRow row_of(const ParameterReport& report, std::string kind, std::int64_t tensors, bool every_element);
/// What became of the adjoint identity, which fails the row above adjoint_bar.
void add_adjoint(GradcheckRow& row, const std::string& name, const AdjointReport& report);
/// Moves parameters away from their initial values, where zeros and ones would hide mistakes.
void shake(ParameterList<double> parameters, std::uint64_t seed);

}  // namespace argand
