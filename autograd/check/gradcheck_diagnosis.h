#pragma once
/// Identifies the mistake behind a wrong gradient by the pattern that it leaves.

#include <string>
#include <vector>

#include "autograd/gradcheck.h"

namespace argand {

/// The gradient that one known mistake would give.
struct Suspicion {
  std::string name;  ///< completes "the gradient looks ..."
  ComplexValues values;
};

/// "the gradient looks conjugated" when `analytic` agrees with that candidate to 1e-6 of the largest gradient; several names joined
/// by "or" when the data cannot tell them apart; a common factor if there is one; otherwise a statement that nothing matches.
std::string resemblance(const ComplexValues& analytic, const ComplexValues& numerical, const std::vector<Suspicion>& suspicions);

/// Compares one input's analytic gradient, over two random projections, with those that the usual mistakes would give: conjugated,
/// doubled, halved, negated, zero, transposed, ∂ and ∂̄ exchanged, one Wirtinger term missing, ∂w/∂z not conjugated, dw not
/// conjugated in the ∂w/∂z̄ term, the real or imaginary part lost, a forgotten sum over broadcast axes, another input's gradient.
std::string diagnose(const ScalarProjection& projected, std::size_t input, const GradcheckOptions& options);

}  // namespace argand
