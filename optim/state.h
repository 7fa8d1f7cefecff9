#pragma once
/// Allocates the state of an optimiser and restores it from a checkpoint.

#include <cmath>

#include "optim/optimizer.h"

namespace argand {

/// A tensor's elements as reals; a complex number is a pair of reals.
template <RealScalar R>
R* real_data(AnyTensorOf<R>& tensor) {
  return std::visit([](auto& x) { return reinterpret_cast<R*>(x.data()); }, tensor);
}

/// A zero tensor for every parameter, with its shape and scalar type.
template <RealScalar R>
std::vector<AnyTensorOf<R>> zeros_like_each(const ParameterList<R>& parameters);

/// Throws Error for a rate that is negative or not finite.
inline void require_rate(double lr) {
  require(std::isfinite(lr) && lr >= 0, "optimizer", "the learning rate must be finite and not negative, got {}", lr);
}

/// Throws Error if a parameter's shape has changed since the optimiser allocated its memory, or if only the optimiser still holds
/// the parameter: then another variable has replaced it in the model, and steps would have no effect.
template <RealScalar R>
void require_unchanged(const Parameter<R>& parameter, const AnyTensorOf<R>& memory) {
  const Shape& before = std::visit([](const auto& x) -> const Shape& { return x.shape(); }, memory);
  require(parameter.shape() == before, "optimizer", "{} had shape {} and now has {}; make a new optimizer", parameter.name, before,
          parameter.shape());
  const long handles = std::visit([](const auto& v) { return v.slot().use_count(); }, parameter.var);
  require(handles > 1, "optimizer", "another variable has replaced {}; assign with value() = tensor, or make a new optimizer",
          parameter.name);
}

/// Throws Error unless `saved` has exactly the names of `own`, with the same shapes and scalar types.
template <RealScalar R>
void check_state(const OptimizerState<R>& saved, const OptimizerState<R>& own);

}  // namespace argand
