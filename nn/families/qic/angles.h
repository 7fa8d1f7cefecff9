#pragma once
/// The angles θ of a QIC model, and the magnitude they define.

#include "autograd/ops/rows/magnitude.h"
#include "nn/families/qic/number_linear.h"
#include "nn/init.h"

namespace argand {

/// θ for `count` heads, as specified by the configuration's `theta`. learned: a parameter [count]; global: one parameter [1] for
/// all heads; fixed: a constant [1]. Learned angles start within theta_spread of theta_init; drawing them advances the random
/// stream, which changes the initial values of all later parameters. The other algebras have constant θ = 0, i.e. complex numbers.
template <RealScalar R>
Var<R> make_angles(Init& init, const QicConfig& config, std::int64_t count) {
  if (config.algebra != Algebra::Qic) return Var<R>(Tensor<R>::zeros({1}));
  if (config.theta == AngleOwner::Fixed) return Var<R>(Tensor<R>::full({1}, static_cast<R>(config.theta_init)));
  const Shape shape{config.theta == AngleOwner::Global ? 1 : count};
  const double first = config.theta_init, spread = config.theta_spread;
  return spread > 0 ? init.uniform<R>(Role::Angle, shape, first - spread, first + spread) : init.full<R>(Role::Angle, shape, first);
}

/// The configured magnitude at these angles.
template <RealScalar R>
Measure<R> measure_at(const QicConfig& config, const Var<R>& theta) {
  return {.parts = parts_of(config.algebra),
          .kind = config.algebra == Algebra::Qic ? config.magnitude : Magnitude::Euclidean,
          .theta = theta};
}

}  // namespace argand
