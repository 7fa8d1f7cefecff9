#pragma once
/// Magnitudes as expressions of ops, with tangents; shared by the tangents of norms, activations and attention.

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/qic_angle.h"
#include "autograd/ops/rows/magnitude.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/shape.h"

namespace argand {

/// Splits numbers x [..., D · parts] into planes, one per part: [parts, rows, D], with the tangent.
template <RealScalar R>
Var<R> planes_of(const Var<R>& x, int parts) {
  const auto split = [parts](const Var<R>& y) {
    return permute(reshape(y, {y.shape().rows(), y.shape().back() / parts, parts}), {2, 0, 1});
  };
  return split(x).with_tangent(split(tangent(x)));
}
/// Puts the parts side by side again, in `shape`.
template <RealScalar R>
Var<R> interleaved(const Var<R>& planes, const Shape& shape) {
  return reshape(permute(reshape(planes, {planes.dim(-3), planes.dim(-2), planes.dim(-1)}), {1, 2, 0}), shape);
}

/// ω = (1, w, w, ...), so that |z|² = Σ ω z² + 1e-12 over the parts of z; [number of angles, parts, 1, 1]. With its tangent.
template <RealScalar R>
Var<R> part_weights(const Measure<R>& measure) {
  Tensor<R> first = Tensor<R>::zeros({measure.parts, 1, 1}), rest = Tensor<R>::ones({measure.parts, 1, 1});
  std::swap(first.data()[0], rest.data()[0]);
  const Shape angles{measure.theta.size(), 1, 1, 1};
  const Var<R> k = kappa(reshape(measure.theta, angles).with_tangent(reshape(tangent(measure.theta), angles)));
  const Var<R> w = measure.kind == Magnitude::Algebraic ? -k : R(1) - k;
  return (constant(first) + w * constant(rest)).with_tangent(-tangent(k) * constant(rest));
}

/// m = sqrt(Σ ω z² + 1e-12) of numbers z [..., parts, rows, columns] -> [..., 1, rows, columns]; ṁ = (Σ ω z ż + ½ Σ ω̇ z²)/m.
template <RealScalar R>
Var<R> magnitude_of(const Var<R>& z, const Measure<R>& measure) {
  const auto total = [](const Var<R>& terms) { return sum(terms, -3, true); };
  if (measure.kind == Magnitude::Euclidean) {
    const Var<R> m = sqrt(total(square(z)) + magnitude_eps<R>);
    return m.with_tangent(total(z * tangent(z)) / m);
  }
  const Var<R> weights = part_weights(measure), weighted = weights * z;
  const Var<R> m = sqrt(total(weighted * z) + magnitude_eps<R>);
  return m.with_tangent((total(weighted * tangent(z)) + total(tangent(weights) * square(z)) / R(2)) / m);
}

}  // namespace argand
