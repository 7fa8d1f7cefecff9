#pragma once
/// The magnitude of a number with several real parts, used by norms, activations and attention of QIC and quaternion models.

#include <array>
#include <string_view>

#include "autograd/var.h"
#include "core/kernels/pack.h"
#include "core/qic_algebra.h"

namespace argand {

/// Numbers lie in the last axis of a real tensor with their `parts` side by side, the real part first: (a, b) for QIC (a complex
/// tensor under view_as_real), (a, b, c, d) for quaternions. Their magnitude is |z| = sqrt(a² + w (b² + c² + d²) + 1e-12); w is 1
/// (Euclidean) or depends on the angle θ, which then gets a gradient.
template <RealScalar R>
struct Measure {
  int parts = 2;  ///< 2 or 4
  Magnitude kind = Magnitude::Euclidean;
  Var<R> theta = Var<R>(Tensor<R>::zeros({1}));  ///< [1]; for attention [H] or [1]; unused when kind is Euclidean

  /// The number of rows whose contributions to dγ, dc and dθ are summed together; fixed, so results do not depend on the number of
  /// threads.
  static constexpr std::int64_t block = 64;

  R weight(std::int64_t group = 0) const { return magnitude_weight(kind, kappa(angle(group))); }
  /// dw/dθ.
  R weight_derivative(std::int64_t group = 0) const {
    if (kind == Magnitude::Euclidean) return 0;  // even if θ is NaN
    return magnitude_weight_derivative<R>(kind) * kappa_derivative(angle(group));
  }
  R angle(std::int64_t group) const { return theta.value().data()[theta.size() == 1 ? 0 : group]; }
};

/// Throws `OP: parts must be ...` unless parts is 2 or 4.
inline void require_parts(std::string_view op, int parts) {
  require(parts == 2 || parts == 4, op, "parts must be 2 (QIC) or 4 (quaternions), got {}", parts);
}

/// Calls f.template operator()<P>() with P = 2 or 4.
template <class F>
void with_parts(int parts, const F& f) {
  require_parts("magnitude", parts);
  parts == 2 ? f.template operator()<2>() : f.template operator()<4>();
}

/// Loads the parts of the numbers at position `at` of an array; S may be float even if `at` loads packs of doubles.
template <int P, class At, RealScalar S>
auto load_parts(At at, const S* z) {
  using Reals = decltype(at.load(z));
  std::array<Reals, P> parts;
  if constexpr (P == 2) {
    const auto pair = at.load(reinterpret_cast<const std::complex<S>*>(z));
    parts = {pair.re, pair.im};
  } else {  // quaternions, lane by lane: not optimised, since only baselines use them
    for (int p = 0; p < P; ++p) {
      S lane[Reals::width] = {};
      for (std::int64_t l = 0; l < at.count; ++l) lane[l] = z[P * (at.place + l) + p];
      for (int l = 0; l < Reals::width; ++l) parts[static_cast<std::size_t>(p)].lanes[l] = lane[l];
    }
  }
  return parts;
}
template <int P, class At, RealScalar S, class Reals>
void store_parts(At at, S* z, const std::array<Reals, P>& parts) {
  if constexpr (P == 2)
    at.store(reinterpret_cast<std::complex<S>*>(z), {parts[0], parts[1]});
  else
    for (int p = 0; p < P; ++p)
      for (std::int64_t l = 0; l < at.count; ++l)
        z[P * (at.place + l) + p] = static_cast<S>(parts[static_cast<std::size_t>(p)][static_cast<int>(l)]);
}
/// b² + c² + d².
template <std::size_t P, class Reals>
Reals square_of_rest(const std::array<Reals, P>& z) {
  Reals sum = z[1] * z[1];
  for (std::size_t p = 2; p < P; ++p) sum += z[p] * z[p];
  return sum;
}
/// Re(z̄ g) in R^P: the dot product of the parts.
template <std::size_t P, class Reals>
Reals dot_of_parts(const std::array<Reals, P>& z, const std::array<Reals, P>& g) {
  Reals sum = z[0] * g[0];
  for (std::size_t p = 1; p < P; ++p) sum += z[p] * g[p];
  return sum;
}

}  // namespace argand
