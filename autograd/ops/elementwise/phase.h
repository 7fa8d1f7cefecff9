#pragma once
/// The phase of a complex number as a number of modulus 1.

#include "autograd/var.h"

namespace argand {

/// u = z/|z| = e^{i arg z}, elementwise; 0 at z = 0, with gradient 0.
template <RealScalar R>
Var<std::complex<R>> unit_phasor(const Var<std::complex<R>>& z);

}  // namespace argand
