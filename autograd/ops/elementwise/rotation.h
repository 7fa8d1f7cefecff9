#pragma once
/// Rotations of complex numbers by an angle that depends on the position (RoPE) and, for ComplexFormer, on the number's own phase.

#include "autograd/var.h"

namespace argand {

/// Angles t·ω_j of the positions t = first, first + 1, ...
template <RealScalar R>
struct Rotary {
  Tensor<R> frequencies;  ///< ω [n], radians per token; empty: no dependence on the position
  std::int64_t first_position = 0;
};

/// ω_j = base^(-exponent · j), j = 0 ... n-1, computed in double. RoPE: exponent = 1/n; ComplexFormer's eq. 6: 2/n (n = d_k/2).
template <RealScalar R>
Tensor<R> rotary_frequencies(std::int64_t n, double base, double exponent);

/// RoPE: y_tj = z_tj e^{i t ω_j}, z complex [..., T, H, n].
template <RealScalar R>
Var<std::complex<R>> rotary(const Var<std::complex<R>>& z, const Rotary<R>& positions);

/// y = |z| e^{i(δ·arg z + β + tω)}, z complex [..., T, H, n] (any shape when there are no positions); δ and β real, with the shape
/// of z's last axes, [H, n] or [n]. δ = 1 and β = 0 give rotary(). For a non-integer δ the value jumps where arg z crosses ±π.
template <RealScalar R>
Var<std::complex<R>> phase_rotation(const Var<std::complex<R>>& z, const Var<R>& delta, const Var<R>& beta,
                                    const Rotary<R>& positions = {});

/// y = z e^{iθ}, θ [radians] of z's shape (CRAT rotates its states by a learned angle). Throws when the shapes differ.
template <RealScalar R>
Var<std::complex<R>> rotate(const Var<std::complex<R>>& z, const Var<R>& theta);

}  // namespace argand
