#pragma once
/// The inverse trigonometric and hyperbolic functions of complex numbers, for standard libraries that lack good ones. libc++ (of
/// Macs and browsers) computes them from z²: results overflow from sqrt(max) on, and near 0 no digit is right.
///
/// Source: W. Kahan, "Branch cuts for complex elementary functions, or much ado about nothing's sign bit" (1987). The sign of a
/// zero selects the side of a cut, as in C99.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "core/scalar.h"

namespace argand::kahan {

/// sqrt z with Re >= 0, for finite z.
template <RealScalar R>
std::complex<R> sqrt(std::complex<R> z) {
  const R size = std::max(std::abs(z.real()), std::abs(z.imag()));
  if (size == 0) return {R(0), z.imag()};
  // Powers of 4 keep |z| and its square root away from overflow and from the subnormal numbers.
  const bool large = size > std::numeric_limits<R>::max() / 8, small = size < std::numeric_limits<R>::min() * R(1 << 30);
  const R down = large ? R(1) / 16 : small ? R(std::int64_t{1} << 60) : R(1), up = large ? R(4) : small ? R(1) / R(1 << 30) : R(1);
  const R x = z.real() * down, y = z.imag() * down, t = std::sqrt((std::abs(x) + std::hypot(x, y)) / 2);
  return std::signbit(x) ? std::complex<R>(std::abs(y) / (2 * t) * up, std::copysign(t, y) * up)
                         : std::complex<R>(t * up, y / (2 * t) * up);
}

/// log |2 z| for |z| > 1/ε, without overflow.
template <RealScalar R>
R log_of_twice(std::complex<R> z) {
  return std::log(std::hypot(z.real() / 4, z.imag() / 4)) + 3 * std::numbers::ln2_v<R>;
}
template <RealScalar R>
bool is_large(std::complex<R> z) {
  return std::max(std::abs(z.real()), std::abs(z.imag())) > 4 / std::numeric_limits<R>::epsilon();
}

template <RealScalar R>
std::complex<R> asin(std::complex<R> z) {
  const R x = z.real(), y = z.imag();
  if (is_large(z)) return {std::atan2(x, std::abs(y)), std::copysign(log_of_twice(z), y)};
  const std::complex<R> a = kahan::sqrt(std::complex<R>(1 - x, -y)), b = kahan::sqrt(std::complex<R>(1 + x, y));
  return {std::atan2(x, a.real() * b.real() - a.imag() * b.imag()), std::asinh(a.real() * b.imag() - a.imag() * b.real())};
}

template <RealScalar R>
std::complex<R> acos(std::complex<R> z) {
  const R x = z.real(), y = z.imag();
  if (is_large(z)) return {std::atan2(std::abs(y), x), -std::copysign(log_of_twice(z), y)};
  const std::complex<R> a = kahan::sqrt(std::complex<R>(1 - x, -y)), b = kahan::sqrt(std::complex<R>(1 + x, y));
  return {2 * std::atan2(a.real(), b.real()), std::asinh(b.real() * a.imag() - b.imag() * a.real())};
}

/// asinh z = -i asin(iz).
template <RealScalar R>
std::complex<R> asinh(std::complex<R> z) {
  const std::complex<R> w = kahan::asin(std::complex<R>(-z.imag(), z.real()));
  return {w.imag(), -w.real()};
}

template <RealScalar R>
std::complex<R> acosh(std::complex<R> z) {
  const R x = z.real(), y = z.imag();
  if (is_large(z)) return {log_of_twice(z), std::atan2(y, x)};
  const std::complex<R> a = kahan::sqrt(std::complex<R>(x - 1, y)), b = kahan::sqrt(std::complex<R>(x + 1, y));
  return {std::asinh(a.real() * b.real() + a.imag() * b.imag()), 2 * std::atan2(a.imag(), b.real())};
}

/// atanh z = ¼ log1p(4x/((1 - x)² + y²)) + (i/2) atan2(2y, (1 - x)(1 + x) - y²).
template <RealScalar R>
std::complex<R> atanh(std::complex<R> z) {
  const R x = std::abs(z.real()), y = z.imag();
  if (is_large(z)) {  // 1/z
    const R half = std::hypot(x / 2, y / 2);
    return {std::copysign(x / 2 / half / half / 2, z.real()), std::copysign(std::numbers::pi_v<R> / 2, y)};
  }
  const R near = std::hypot(1 - x, y), q = 4 * x / near / near;
  const R re = q < 1 ? std::log1p(q) / 4 : (std::log(std::hypot(1 + x, y)) - std::log(near)) / 2;
  return {std::copysign(re, z.real()), std::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2};
}

/// atan z = -i atanh(iz).
template <RealScalar R>
std::complex<R> atan(std::complex<R> z) {
  const std::complex<R> w = kahan::atanh(std::complex<R>(-z.imag(), z.real()));
  return {w.imag(), -w.real()};
}

}  // namespace argand::kahan

namespace argand::inverse {

// asin(z), ..., atanh(z) of a real or complex z: those of the standard library, or Kahan's where it is libc++.
#if defined(_LIBCPP_VERSION)
#define ARGAND_INVERSE(f)                                                         \
  template <Scalar T>                                                             \
  T f(T z) {                                                                      \
    if constexpr (ComplexScalar<T>)                                               \
      if (std::isfinite(z.real()) && std::isfinite(z.imag())) return kahan::f(z); \
    return std::f(z);                                                             \
  }
#else
#define ARGAND_INVERSE(f) \
  template <Scalar T>     \
  T f(T z) {              \
    return std::f(z);     \
  }
#endif
ARGAND_INVERSE(asin)
ARGAND_INVERSE(acos)
ARGAND_INVERSE(atan)
ARGAND_INVERSE(asinh)
ARGAND_INVERSE(acosh)
ARGAND_INVERSE(atanh)
#undef ARGAND_INVERSE

}  // namespace argand::inverse
