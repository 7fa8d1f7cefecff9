#pragma once
/// Dropout: in training, each element is set to 0 with probability p and the others are divided by 1 - p.

#include "autograd/var.h"
#include "core/random.h"

namespace argand {

/// y = mask x / (1 - p) (Srivastava et al., JMLR 15 (2014), 1929, in the inverted form: nothing to do at inference).
/// The mask is a pure function of (random, element index): the same for real and complex, float and double, and any number of
/// threads; complex numbers are dropped whole. p is rounded to a multiple of 2^-16, and the scale uses the rounded p: y is
/// unbiased. Returns x itself, without a copy, when p = 0 or `training` is false. Throws unless 0 <= p < 1.
template <Scalar T>
Var<T> dropout(const Var<T>& x, double p, bool training, const Random& random);

}  // namespace argand
