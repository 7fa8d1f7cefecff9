#pragma once
/// The global norm of all gradients, and clipping by it (Pascanu, Mikolov, Bengio, "On the difficulty of training recurrent
/// neural networks", ICML 2013).

#include "autograd/parameter.h"

namespace argand {

/// sqrt(Σ |g|²) over all elements of all gradients. Fixed blocks are summed in double precision and added in order, so the result
/// does not depend on the number of threads. NaN or infinity if a gradient contains one.
template <RealScalar R>
double grad_norm(const ParameterList<R>& parameters);

/// The factor that scales gradients of this norm down to max_norm: min(1, max_norm / norm). max_norm = 0 disables clipping. Throws
/// Error if max_norm is negative.
double clip_factor(double norm, double max_norm);

/// Multiplies every gradient by `factor` in place, such as 1/n to average over n accumulated batches.
template <RealScalar R>
void scale_gradients(const ParameterList<R>& parameters, double factor);

/// Clips in place and returns the norm before clipping. Optimizer::step(lr, clip_factor(...)) does the same with one pass fewer.
template <RealScalar R>
double clip_grad_norm(const ParameterList<R>& parameters, double max_norm);

}  // namespace argand
