#pragma once
/// The derivatives of an expression by differences, with error bars: nothing of them comes from the tape.

#include <array>
#include <complex>
#include <vector>

#include "autograd/check/numerical.h"
#include "lab/expression/expression.h"

namespace argand {

struct LabNumbers {
  std::complex<double> value;  ///< as f is computed at the point
  bool real = false;           ///< f is real by its types
  /// f has no finite value here, or another one than around, and tends to `limit` from both sides along both axes: `partials` are
  /// those of f with that value.
  bool has_limit = false;
  std::complex<double> limit = 0;
  std::array<std::array<Derivative, 2>, 2> partials = {};  ///< ∂Re f/∂x, ∂Re f/∂y; ∂Im f/∂x, ∂Im f/∂y
};

/// Of f by one variable. `rounding` is how far rounding may have moved f at the point (TapeRounding::value); infinite: not known,
/// and then nothing is known of the derivatives either.
LabNumbers lab_numbers(const Expression& f, const std::vector<std::complex<double>>& at, std::size_t variable, double rounding);

}  // namespace argand
