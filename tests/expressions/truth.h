#pragma once
/// What is true of an expression at a point: whether it has a derivative there, and which.

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
  double error = 0;  ///< of both
};

/// By central differences at a distance of 1e-40, relative to z where that can be told, of values with 150 digits.
Truth truth_at(const Evaluator& f, std::complex<double> z);

struct SecondTruth {
  bool smooth = false;
  double xx = 0, xy = 0, yy = 0;  ///< ∂²L/∂x², ... of L = Re f
};
/// Second differences; smooth only where the first derivatives are.
SecondTruth second_truth_at(const Evaluator& f, std::complex<double> z);

}  // namespace reference
