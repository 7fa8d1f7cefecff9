#pragma once
/// The truth about an expression at a point: whether it has a derivative there, and which.

#include <complex>

#include "tests/expressions/reference.h"

namespace reference {

struct Truth {
  enum class Kind {
    Smooth,    ///< the difference quotients settle, from both sides, and along a third direction as the two others say
    Singular,  ///< they do not: a kink, a cut, a pole, or f has no values here
    Unknown    ///< 500 bits do not tell, or an operand lies on a cut all along
  };
  Kind kind = Kind::Unknown;
  std::complex<double> dz, dzbar;
  double error = 0;  ///< the error of both derivatives
};

/// The truth by central differences at a distance of 1e-40, relative to z where possible, of values with 150 digits.
Truth truth_at(const Evaluator& f, std::complex<double> z);

struct SecondTruth {
  bool smooth = false;
  double xx = 0, xy = 0, yy = 0;  ///< the derivatives ∂²L/∂x², ∂²L/∂x∂y and ∂²L/∂y² of L = Re f
};
/// The truth by second differences; smooth only where the first derivatives are smooth.
SecondTruth second_truth_at(const Evaluator& f, std::complex<double> z);

}  // namespace reference
