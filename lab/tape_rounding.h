#pragma once
/// Bounds the rounding errors of the tape's derivatives of an expression at a point, and finds the steps where the chain rule has
/// no derivative.
///
/// A step w = g(x_1, ..., x_m) has the local derivatives J_j, real matrices of at most 2 x 2. Forward, its value carries the
/// rounding error
///
///     δ(w) = ρ(g) + Σ_j |J_j| δ(x_j),
///
/// where ρ(g) is the error of g itself: 0 for ops such as conj, ε |w| for a sum, 4 ε (|w| + Σ_j |J_j| |x_j|) for others. Backward,
/// if w has the cotangent c, the cotangent of x_j receives J_jᵀ c and the rounding error
///
///     |J_j| e(w) + (Δ_j + 32 ε |J_j|) |c|,
///
/// where Δ_j is how far J_j moves while the operands move by their δ (by at least 2 ε |x_j| for functions other than arithmetic),
/// found by calling the op at moved operands. To first order these bound the effect of rounding, including cancellation, underflow
/// and overflow.

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "lab/expression/expression.h"

namespace argand {

/// An op on the tape that has singular points, and the point where it was evaluated.
struct LabSingularity {
  std::string op, at, text;
};

struct TapeRounding {
  double value = 0;                  ///< rounding error of f
  std::array<double, 2> parts = {};  ///< error of ∂(Re f)/∂x + i ∂(Re f)/∂y, and of the same for Im f
  std::vector<std::string> gaps =
      {};  ///< "log of 0 is -inf", "the derivative of abs at 0 is a convention"; if any, nothing is bounded
  std::vector<LabSingularity> singular = {};  ///< all ops that have singular points, whether here or elsewhere
  bool holomorphic_ops = true;                ///< whether every op on the tape is holomorphic

  /// The rounding error of ∂f/∂z and of ∂f/∂z̄; infinite if there are gaps.
  double derivative() const { return (parts[0] + parts[1]) / 2; }
};

/// Bounds the rounding errors of f and of its derivatives with respect to one variable.
TapeRounding tape_rounding(const Expression& f, const std::vector<std::complex<double>>& at, std::size_t variable);

}  // namespace argand
