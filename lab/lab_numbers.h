#pragma once
/// The derivatives of an expression from differences, with error bars, independent of the tape.

#include <array>
#include <complex>
#include <vector>

#include "autograd/check/numerical.h"
#include "lab/expression/expression.h"

namespace argand {

struct LabNumbers {
  std::complex<double> value;  ///< f as computed at the point
  bool real = false;           ///< whether f is real by its types
  /// f has no finite value here, or one that differs from its surroundings, and tends to `limit` from both sides along both axes;
  /// then `partials` are those of f with that value.
  bool has_limit = false;
  std::complex<double> limit = 0;
  std::array<std::array<Derivative, 2>, 2> partials = {};  ///< ∂Re f/∂x, ∂Re f/∂y; ∂Im f/∂x, ∂Im f/∂y
};

/// The derivatives of f with respect to one variable. `rounding` bounds the rounding error of f at the point (TapeRounding::value);
/// if it is infinite (unknown), so are the errors of the derivatives.
LabNumbers lab_numbers(const Expression& f, const std::vector<std::complex<double>>& at, std::size_t variable, double rounding);

}  // namespace argand
