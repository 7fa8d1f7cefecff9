#pragma once
/// Determines whether an expression has a derivative at a point, and its value.

#include <complex>

#include "tests/expressions/reference.h"

namespace reference {

struct Truth {
  enum class Kind {
    Smooth,    ///< the difference quotients converge from both sides, and a third direction agrees with the two others
    Singular,  ///< the quotients do not converge: a kink, a cut, a pole, or f is undefined here
    Unknown    ///< 500 bits do not decide, or an operand stays on a cut
  };
  Kind kind = Kind::Unknown;
  std::complex<double> dz, dzbar;
  double error = 0;  ///< the error of dz and of dzbar
};

/// Finds the truth by central differences of 150-digit values at a distance of 1e-40, relative to z where possible.
Truth truth_at(const Evaluator& f, std::complex<double> z);

struct SecondTruth {
  bool smooth = false;
  double xx = 0, xy = 0, yy = 0;  ///< the derivatives ∂²L/∂x², ∂²L/∂x∂y and ∂²L/∂y² of L = Re f
};
/// Finds the truth by second differences; smooth only where the first derivatives are smooth.
SecondTruth second_truth_at(const Evaluator& f, std::complex<double> z);

}  // namespace reference
