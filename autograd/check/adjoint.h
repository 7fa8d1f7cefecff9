#pragma once
/// Compares two derivations of one Jacobian without difference quotients. Forward (on a direction v) and backward (on a gradient
/// dw) are adjoint,
///
///     Re Σ conj(dw) (J v) = Re Σ conj(Jᴴ dw) v,
///
/// for all v and dw. Both sides are exact up to rounding, so they must agree to about 1e-13, whereas difference quotients leave an
/// uncertainty of 1e-8. A mistake common to both derivations is found only by differences (autograd/gradcheck.h).

#include <functional>
#include <string>

#include "autograd/check/report.h"
#include "autograd/op_check.h"
#include "autograd/parameter.h"

namespace argand {

/// Allows for the rounding of two sums in float64 or complex128.
inline constexpr double adjoint_bar = 1e-12;

/// Returns one row. Tests random v and dw, twice for each input by itself and twice for all inputs together. The row's error is the
/// largest |left − right| / max(|dw| |J v|, |Jᴴ dw| |v|) in Euclidean norms; its bar is adjoint_bar. Throws Error when an op of f
/// has no tangent.
ReportRow check_adjoint(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const std::string& label = "");
/// The same for a loss, a pure function of the parameters: L̇ along v is Re Σ conj(grad) v. Tests each parameter by itself, and all
/// together.
ReportRow check_adjoint(const std::function<Var<double>()>& loss, const ParameterList<double>& parameters);

}  // namespace argand
