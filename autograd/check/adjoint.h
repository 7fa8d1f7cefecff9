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

#include "autograd/op_check.h"
#include "autograd/parameter.h"

namespace argand {

struct AdjointReport {
  std::int64_t identities = 0;  ///< that were tried
  /// The largest |left − right| / max(|dw| |J v|, |Jᴴ dw| |v|), the norms being Euclidean.
  double worst = 0;
  std::string where = {};  ///< "complex, input 1": what moved there
  void add(double error, std::string at);
  void add(const AdjointReport& other);
};

/// Rounding of two sums in float64 or complex128.
inline constexpr double adjoint_bar = 1e-12;

/// For random v and dw, of each input alone and of all together; twice each. Throws Error when an op of f has no tangent.
AdjointReport check_adjoint(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const std::string& label = "");
/// The same of a loss, a pure function of the parameters: L̇ along v is Re Σ conj(grad) v. Each parameter alone, and all together.
AdjointReport check_adjoint(const std::function<Var<double>()>& loss, const ParameterList<double>& parameters);

}  // namespace argand
