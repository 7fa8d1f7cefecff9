#pragma once
/// Two properties of every backward pass, for any function: it is linear in the incoming gradient, and it adds to any existing
/// gradient. Testing them needs no differences, only a few more passes. A pass that violates either is wrong.

#include "autograd/check/independent/independent_check.h"

namespace argand {

/// Computes the gradients, one per input, for given weights of the output (the incoming gradient).
using GradientsFor = std::function<std::vector<ComplexValues>(std::span<const std::complex<double>> weights)>;

/// g(1000 W) = 1000 g(W), g(W / 1000) = g(W) / 1000 and g(W + V) = g(W) + g(V), within `tolerance` of the largest gradient of each
/// input. `rounding`: how far rounding may have moved g(W). Silent on deviations that scatter like rounding, as in half precision.
IndependentCheck linear_check(const GradientsFor& gradients, const ComplexValues& W, const ComplexValues& V,
                              const std::vector<std::vector<double>>& rounding, double tolerance);

/// `added(c, W)`: the inputs' gradients after a pass with W that started from c. They must be c + g(W).
IndependentCheck adds_check(const std::function<std::vector<ComplexValues>(const std::vector<ComplexValues>& c,
                                                                           std::span<const std::complex<double>> W)>& added,
                            const ComplexValues& W, const std::vector<ComplexValues>& g,
                            const std::vector<std::vector<double>>& rounding, double tolerance);

}  // namespace argand
