#pragma once
/// Modulus, phasor and quotient of complex numbers of any size: no square in here overflows or underflows.
/// In float the squares are taken in double, whose exponent has room for them (1e38² and 1e-45² included), and the loops stay
/// vectorisable; in double they go through hypot and the scaled division of the C library.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/pack.h"

namespace argand {

/// |z|; infinite only when |z| itself is beyond the type.
inline float modulus(std::complex<float> z) {
  const double x = z.real(), y = z.imag();
  return static_cast<float>(std::sqrt(x * x + y * y));
}
inline double modulus(std::complex<double> z) { return std::hypot(z.real(), z.imag()); }
template <RealScalar R>
R modulus(R x) {
  return std::abs(x);
}

/// z/|z|, and 0 at z = 0.
inline std::complex<float> phasor(std::complex<float> z) {
  const double x = z.real(), y = z.imag(), square = x * x + y * y;
  const double inverse = square == 0 ? 0 : 1 / std::sqrt(square);
  return {static_cast<float>(x * inverse), static_cast<float>(y * inverse)};
}
inline std::complex<double> phasor(std::complex<double> z) {
  const double scale = std::max(std::abs(z.real()), std::abs(z.imag())) > 1 ? 0.5 : 1;  // |z| may exceed the largest double
  const double x = scale * z.real(), y = scale * z.imag(), r = std::hypot(x, y);
  return r == 0 ? 0 : std::complex<double>(x / r, y / r);
}

/// a/b.
template <RealScalar R>
R divide(R a, R b) {
  return a / b;
}
template <RealScalar R>
std::complex<R> divide(std::complex<R> a, R b) {
  return {a.real() / b, a.imag() / b};
}
inline std::complex<float> divide(std::complex<float> a, std::complex<float> b) {
  const double ar = a.real(), ai = a.imag(), br = b.real(), bi = b.imag(), square = br * br + bi * bi;
  return {static_cast<float>((ar * br + ai * bi) / square), static_cast<float>((ai * br - ar * bi) / square)};
}
inline std::complex<double> divide(std::complex<double> a, std::complex<double> b) { return a / b; }
template <RealScalar R>
std::complex<R> divide(R a, std::complex<R> b) {
  return divide(std::complex<R>(a), b);
}

/// The gradient that z = r u receives when the loss changes by t per radian of arg z: i u t / r (the gradient of arg z is i z/|z|²,
/// divided here twice by r, never by r²). 0 where r is zero or subnormal, as 1/r would overflow there.
template <RealScalar R>
std::complex<R> turn(std::complex<R> u, R r, R t) {
  if (r < std::numeric_limits<R>::min()) return 0;
  return {-u.imag() * t / r, u.real() * t / r};
}

// The same on packs, float and double alike: both parts are divided by the larger before they are squared.

template <RealScalar R>
Pack<R> modulus(ComplexPack<R> z) {
  const Pack<R> x = math::abs(z.re), y = math::abs(z.im), big = math::max(x, y), zero(0);
  const Pack<R> ratio =
      math::select((big > zero) & (big < Pack<R>(std::numeric_limits<R>::infinity())), math::min(x, y) / big, zero);
  return math::select(z.re == z.re, big * math::sqrt(ratio * ratio + R(1)), z.re);  // max() keeps a NaN in y alone
}

template <RealScalar R>
ComplexPack<R> phasor(ComplexPack<R> z) {
  const Pack<R> big = math::max(math::abs(z.re), math::abs(z.im)), zero(0);
  const auto origin = big == zero;
  const Pack<R> x = z.re / big, y = z.im / big, inverse = R(1) / math::sqrt(x * x + y * y);
  return {math::select(origin, zero, x * inverse), math::select(origin, zero, y * inverse)};
}

template <RealScalar R>
ComplexPack<R> turn(ComplexPack<R> u, Pack<R> r, Pack<R> t) {
  const auto small = r < Pack<R>(std::numeric_limits<R>::min());
  const Pack<R> zero(0);
  return {math::select(small, zero, -u.im * t / r), math::select(small, zero, u.re * t / r)};
}

}  // namespace argand
