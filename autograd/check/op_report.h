#pragma once
/// Runs the checks that ops declare for themselves.

#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "autograd/op.h"

namespace argand {

/// The op's gradients: one row for each input of each case ("complex: input 1"), each singular point, and the declared kind.
/// Ignores `options.name`: the report has the op's name.
Report check_op_gradients(const Op& op, GradcheckOptions options = {});

/// Returns those of the named ops that fail the check of their gradients. A custom_op has no check and is never included.
std::vector<std::string> failing_ops(const std::vector<std::string>& names);

/// All checks of an op: its gradients, the adjoint identity between them and its tangents, and every way of using them
/// (autograd/check/usage/usage.h). check_nan (autograd/check/nan_check.h) covers NaNs.
Report check_op(const Op& op, const GradcheckOptions& options = {});

/// The reason why an op with this check is not of this kind, tested with the Cauchy-Riemann equations in every complex input of
/// every case; empty if the op is of this kind. Holomorphic: the equations hold in all of these inputs. RealValued: complex inputs,
/// real outputs. General: complex output, and the equations fail somewhere. Real: no complex input.
std::string kind_fault(const std::string& op, Kind kind, const OpCheck& check, const RiddersOptions& ridders = {});

/// Any faults found in the value and the gradient of L = Re Σ f at a declared singular point, in float64 and float32.
std::vector<std::string> check_singular(const OpCheck::SingularCase& singular);

}  // namespace argand
