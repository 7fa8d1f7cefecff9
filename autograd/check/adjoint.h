#pragma once
/// Two derivations of one Jacobian against each other, without a difference quotient: what forward does to a direction v and what
/// backward does to a gradient dw are adjoint,
///
///     Re Σ conj(dw) (J v) = Re Σ conj(Jᴴ dw) v,
///
/// whatever v and dw are. Both sides are exact but for rounding, so they must agree to some 1e-13, where differences leave 1e-8 or
/// so for doubt. A mistake that both derivations share does not show; differences show it (autograd/gradcheck.h).

#include <functional>
#include <string>

#include "autograd/check/report.h"
#include "autograd/op_check.h"
#include "autograd/parameter.h"

namespace argand {

/// Rounding of two sums in float64 or complex128.
inline constexpr double adjoint_bar = 1e-12;

/// One row, for random v and dw, of each input alone and of all together; twice each. Its error is the largest
/// |left − right| / max(|dw| |J v|, |Jᴴ dw| |v|), the norms being Euclidean, its bar adjoint_bar. Throws Error when an op of f has
/// no tangent.
ReportRow check_adjoint(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const std::string& label = "");
/// The same of a loss, a pure function of the parameters: L̇ along v is Re Σ conj(grad) v. Each parameter alone, and all together.
ReportRow check_adjoint(const std::function<Var<double>()>& loss, const ParameterList<double>& parameters);

}  // namespace argand
