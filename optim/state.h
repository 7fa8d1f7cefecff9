#pragma once
/// What optimisers do with their memory: make it, and take it back from a checkpoint.

#include "optim/optimizer.h"

namespace argand {

/// The numbers of a tensor; a complex number is a pair of reals.
template <RealScalar R>
R* real_data(AnyTensorOf<R>& tensor) {
  return std::visit([](auto& x) { return reinterpret_cast<R*>(x.data()); }, tensor);
}

/// A tensor of zeros for every parameter, of its shape and scalar.
template <RealScalar R>
std::vector<AnyTensorOf<R>> zeros_like_each(const ParameterList<R>& parameters);

/// Copies the tensors of `saved` into those of `own`, which share storage with an optimiser's memory.
/// Throws Error, before anything is written, unless both have the same names with the same shapes and scalars.
template <RealScalar R>
void restore_state(const OptimizerState<R>& saved, OptimizerState<R> own);

}  // namespace argand
