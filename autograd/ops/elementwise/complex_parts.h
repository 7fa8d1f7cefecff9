#pragma once
/// Conversions between complex numbers and their parts: conj, Re, Im, |z|, |z|², arg z, and back from (re, im) or (r, φ).
/// Elementwise, any shape, unless stated otherwise.

#include "autograd/var.h"

namespace argand {

template <RealScalar R>
Var<std::complex<R>> conj(const Var<std::complex<R>>& z);
template <RealScalar R>
Var<R> real(const Var<std::complex<R>>& z);
template <RealScalar R>
Var<R> imag(const Var<std::complex<R>>& z);

/// |z| for real or complex z. Gradient 0 at z = 0.
template <Scalar T>
Var<RealOf<T>> abs(const Var<T>& z);
/// |z|² = x² + y² for real or complex z; it has no singular point.
template <Scalar T>
Var<RealOf<T>> abs2(const Var<T>& z);
/// arg z = atan2(Im z, Re z) in [-π, π]; on the cut it has the sign of Im z, -0 included. Gradient 0 at z = 0.
template <RealScalar R>
Var<R> angle(const Var<std::complex<R>>& z);

/// r e^{iφ}, r and φ [radians] of the same shape; r may be negative.
template <RealScalar R>
Var<std::complex<R>> polar(const Var<R>& r, const Var<R>& phi);
/// re + i im for parts of the same shape.
template <RealScalar R>
Var<std::complex<R>> make_complex(const Var<R>& re, const Var<R>& im);
/// x + 0i.
template <RealScalar R>
Var<std::complex<R>> to_complex(const Var<R>& x);

/// complex [..., n] -> real [..., 2n], pairs (re, im) interleaved; no copy.
template <RealScalar R>
Var<R> view_as_real(const Var<std::complex<R>>& z);
/// real [..., 2n] with interleaved pairs -> complex [..., n]; no copy. Throws when the last size is odd.
template <RealScalar R>
Var<std::complex<R>> view_as_complex(const Var<R>& x);

}  // namespace argand
