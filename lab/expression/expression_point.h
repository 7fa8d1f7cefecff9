#pragma once
/// Used by every command that evaluates an expression: the point, and the loss to differentiate.

#include <complex>
#include <string>
#include <vector>

#include "lab/expression/expression.h"

namespace argand {

/// Parses "1+2i, exp(i*pi/4)": one expression without variables for each variable of f. Throws an InputError that begins with `at`.
std::vector<std::complex<double>> point_of(const Expression& f, const std::string& text);

/// L = f if f is real, L = Re f otherwise, summed over all points (so that the gradient at each point is that of its own term).
Real loss_of(const AnyVar& f);

}  // namespace argand
