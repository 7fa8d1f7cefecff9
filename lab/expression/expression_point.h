#pragma once
/// What every command that evaluates an expression needs: a point, and a loss to differentiate.

#include <complex>
#include <string>
#include <vector>

#include "lab/expression/expression.h"

namespace argand {

/// Parses "1+2i, exp(i*pi/4)": expressions without variables, one for each variable of f. The InputError that it throws begins with
/// `at`.
std::vector<std::complex<double>> point_of(const Expression& f, const std::string& text);

/// L = f if f is real, L = Re f otherwise, summed over all points (so that the gradient at each point is that of its own term).
Real loss_of(const AnyVar& f);

}  // namespace argand
