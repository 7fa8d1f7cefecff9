#pragma once
/// Magnitudes as expressions of ops, with their tangents: what the tangents of norms, activations and attention share.

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/qic_angle.h"
#include "autograd/ops/rows/magnitude.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/shape.h"

namespace argand {

/// x in another shape, with its tangent.
template <RealScalar R>
Var<R> moving_in_shape(const Var<R>& x, const Shape& shape) {
  return reshape(x, shape).with_tangent(reshape(tangent(x), shape));
}

/// ω = (1, w, w, ...), so that |z|² = Σ ω z² + 1e-12 over the parts of z; [number of angles, parts]. With its tangent.
template <RealScalar R>
Var<R> part_weights(const Measure<R>& measure) {
  Tensor<R> first = Tensor<R>::zeros({measure.parts}), rest = Tensor<R>::ones({measure.parts});
  std::swap(first.data()[0], rest.data()[0]);
  if (measure.kind == Magnitude::Euclidean) return constant(Tensor<R>::ones({1, measure.parts}));
  const Var<R> k = kappa(moving_in_shape(measure.theta, {measure.theta.size(), 1}));
  const Var<R> w = measure.kind == Magnitude::Algebraic ? -k : R(1) - k;
  return (constant(first) + w * constant(rest)).with_tangent(-tangent(k) * constant(rest));
}

/// m = sqrt(Σ ω z² + 1e-12) over the axis of the parts, which stays with size 1; ṁ = (Σ ω z ż + ½ Σ ω̇ z²)/m.
template <RealScalar R>
Var<R> magnitude(const Var<R>& z, const Var<R>& weights, int axis) {
  const Var<R> weighted = weights * z;
  const Var<R> m = sqrt(sum(weighted * z, axis, true) + magnitude_eps<R>);
  Var<R> along = sum(weighted * tangent(z), axis, true);
  if (weights.has_tangent()) along = along + sum(tangent(weights) * square(z), axis, true) / R(2);
  return m.with_tangent(along / m);
}

}  // namespace argand
