#pragma once
/// Dropout: in training, each element is set to 0 with probability p and the others are divided by 1 - p.

#include "autograd/var.h"
#include "core/random.h"

namespace argand {

/// y = mask x / (1 - p) (Srivastava et al., JMLR 15 (2014), 1929, in the inverted form: nothing to do at inference).
/// The mask is a pure function of (random, element's place): the same for real and complex, float and double, any number of
/// threads; complex numbers are dropped whole. p counts in steps of 2^-16, and the scale is that of the p so rounded: unbiased.
/// The identity, without a copy, when p = 0 or not `training`. Throws unless 0 <= p < 1.
template <Scalar T>
Var<T> dropout(const Var<T>& x, double p, bool training, const Random& random);

}  // namespace argand
