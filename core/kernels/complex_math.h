#pragma once
/// Modulus, phasor and quotient of complex numbers of any size, and functions whose plain formulas would cancel. No square in this
/// file overflows or underflows. Functions that take the two parts separately accept reals and packs (X: float, double or a Pack of
/// them).

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/compensated.h"
#include "core/kernels/vector_math.h"

namespace argand {

/// A power of two, and its inverse, that scales numbers of about this size so that their squares neither overflow nor underflow.
template <class X>
struct Scaling {
  X factor, inverse;
  explicit Scaling(X size) {
    constexpr bool single = sizeof(LaneOf<X>) == 4;
    const X huge(single ? 0x1p62f : 0x1p510), tiny(single ? 0x1p-40f : 0x1p-400);
    const X down(single ? 0x1p-66f : 0x1p-520), up(single ? 0x1p90f : 0x1p600);
    const X down_inverse(single ? 0x1p66f : 0x1p520), up_inverse(single ? 0x1p-90f : 0x1p-600);
    factor = math::select(size > huge, down, math::select(size < tiny, up, X(1)));
    inverse = math::select(size > huge, down_inverse, math::select(size < tiny, up_inverse, X(1)));
  }
};

/// z = x + iy as r u, |u| = 1: r = |z| scaled by s.factor, so that it is finite for every finite z; u = 0 at z = 0. For an infinite
/// z, u has the angle that atan2 gives: ±1 or ±i if the other part is finite, (±1 ± i)/√2 if both are infinite.
template <class X>
struct PolarForm {
  Scaling<X> s;
  X r, re, im;
  PolarForm(X x, X y) : s(math::max(math::abs(x), math::abs(y))) {
    constexpr auto largest = std::numeric_limits<LaneOf<X>>::max();
    const auto infinite = math::max(math::abs(x), math::abs(y)) > X(largest);
    // If one part is infinite, a finite other part counts as 0; multiplying by 0 keeps a NaN.
    const auto unit = [&](X part) {
      return math::select(math::abs(part) > X(largest), math::select(part < X(0), X(-1), X(1)), part * X(0));
    };
    const X a = math::select(infinite, unit(x), x * s.factor), b = math::select(infinite, unit(y), y * s.factor);
    const X length = math::sqrt(a * a + b * b), divisor = math::select(length == X(0), X(1), length);
    r = length * math::select(infinite, X(std::numeric_limits<LaneOf<X>>::infinity()), X(1));
    re = a / divisor;
    im = b / divisor;
  }
  /// |z|; infinite only when |z| itself overflows the type.
  X modulus() const { return r * s.inverse; }
};

/// |z|.
template <RealScalar R>
R modulus(std::complex<R> z) {
  return PolarForm<R>(z.real(), z.imag()).modulus();
}
template <RealScalar R>
R modulus(R x) {
  return std::abs(x);
}
template <RealScalar R>
Pack<R> modulus(Pack<R> x) {
  return math::abs(x);
}
template <RealScalar R>
Pack<R> modulus(ComplexPack<R> z) {
  return PolarForm<Pack<R>>(z.re, z.im).modulus();
}

/// z/|z|, and 0 at z = 0.
template <RealScalar R>
std::complex<R> phasor(std::complex<R> z) {
  const PolarForm<R> p(z.real(), z.imag());
  return {p.re, p.im};
}
template <RealScalar R>
ComplexPack<R> phasor(ComplexPack<R> z) {
  const PolarForm<Pack<R>> p(z.re, z.im);
  return {p.re, p.im};
}

/// c/|z|, even if |z| overflows the type.
template <RealScalar R>
R divide_by_modulus(R c, std::complex<R> z) {
  const PolarForm<R> p(z.real(), z.imag());
  return c / p.r * p.s.factor;
}

/// |z| + c. For |z| ≈ -c = b the sum would cancel and leave only the rounding error of |z|, so it is computed as
/// (|z|² - b²)/(|z| + b), where |z|² - b² = (p - b)(p + b) + q² with p the larger part and q the smaller; p - b is exact.
template <RealScalar R>
R modulus_plus(std::complex<R> z, R c) {
  const PolarForm<R> f(z.real(), z.imag());
  const R r = f.modulus();
  if (!(-c > r * R(0.67) && -c < r * R(1.33))) return r + c;
  const R x = std::abs(z.real()) * f.s.factor, y = std::abs(z.imag()) * f.s.factor, b = -c * f.s.factor;
  const R p = math::max(x, y), q = math::min(x, y);
  const WithError<R> sum = exact_sum(p, b);
  CompensatedSum<R> difference;
  difference.add_product(p - b, sum.value);
  difference.add_small((p - b) * sum.error);
  difference.add_product(q, q);
  return difference.value() / (f.r + b) * f.s.inverse;
}

/// a/b. For float, where |b|² is 0, infinite or NaN in double, so is b, and std::complex's division defines a/b.
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
  if (!(square > 0 && square < std::numeric_limits<double>::infinity())) return a / b;
  return {static_cast<float>((ar * br + ai * bi) / square), static_cast<float>((ai * br - ar * bi) / square)};
}
inline std::complex<double> divide(std::complex<double> a, std::complex<double> b) { return a / b; }
template <RealScalar R>
std::complex<R> divide(R a, std::complex<R> b) {
  return divide(std::complex<R>(a), b);
}

template <RealScalar R>
Pack<R> divide(Pack<R> a, Pack<R> b) {
  return a / b;
}
template <RealScalar R>
ComplexPack<R> divide(ComplexPack<R> a, Pack<R> b) {
  return {a.re / b, a.im / b};
}

/// The gradient with respect to z = r u when the loss changes by t per radian of arg z: i u t / r (the gradient of arg z is
/// i z/|z|²; this divides twice by r, never by r²). 0 where r is zero or subnormal, since 1/r would overflow.
template <RealScalar R>
std::complex<R> turn(std::complex<R> z, R t) {
  const PolarForm<R> p(z.real(), z.imag());
  if (p.modulus() < std::numeric_limits<R>::min()) return 0;
  return {-p.im * t / p.r * p.s.factor, p.re * t / p.r * p.s.factor};
}
template <RealScalar R>
ComplexPack<R> turn(ComplexPack<R> z, Pack<R> t) {
  const PolarForm<Pack<R>> p(z.re, z.im);
  const auto small = p.modulus() < Pack<R>(std::numeric_limits<R>::min());
  const Pack<R> torque = math::select(small, Pack<R>(0), t), r = math::select(small, Pack<R>(1), p.r);
  return {-p.im * torque / r * p.s.factor, p.re * torque / r * p.s.factor};
}

/// Hyperbolic functions of z = x + iy without the factor that overflows, t = e^(-2|x|):
///     2 cosh z = e^|x| C, C = (1 + t) cos y ± i (1 - t) sin y,      2 sinh z = e^|x| S, S = ±(1 - t) cos y + i (1 + t) sin y,
/// with the sign of x. No terms cancel: tanh z = S/C is accurate near its poles too, where 1 + e^(-2z) is not. For infinite x, S/C
/// = ±1 for every y, even an infinite one.
template <RealScalar R>
struct Hyperbolic {
  std::complex<R> C, S;
  R t, cos_y, sin_y;
  Hyperbolic(R x, R y) : t(std::exp(-2 * std::abs(x))) {
    if (std::isinf(x) && std::isinf(y)) y = 0;
    cos_y = std::cos(y), sin_y = std::sin(y);
    const R sum = 1 + t, difference = std::copysign(-std::expm1(-2 * std::abs(x)), x);
    C = {sum * cos_y, difference * sin_y};
    S = {difference * cos_y, sum * sin_y};
  }
};

template <RealScalar R>
std::complex<R> tanh_of(std::complex<R> z) {
  const Hyperbolic<R> h(z.real(), z.imag());
  // If t = 0, S = ±C, but a number divided by itself need not be 1: ARM's library divides complex numbers with fused products.
  return h.t == 0 ? std::complex<R>(std::copysign(R(1), z.real())) : divide(h.S, h.C);
}
/// tanh' z = 1/cosh² z = 4t/C².
template <RealScalar R>
std::complex<R> tanh_derivative(std::complex<R> z) {
  const Hyperbolic<R> h(z.real(), z.imag());
  const std::complex<R> q = divide(R(2), h.C);
  return mul(mul(q, q), h.t);
}

/// σ(z) = e^(z/2)/(2 cosh(z/2)) = e^(iy/2)/C, where C belongs to z/2, times e^-|x| for x < 0.
template <RealScalar R>
std::complex<R> logistic(std::complex<R> z) {
  const Hyperbolic<R> h(z.real() / 2, z.imag() / 2);
  if (h.t == 0) return z.real() < 0 ? R(0) : R(1);
  const std::complex<R> w = divide(std::complex<R>(h.cos_y, h.sin_y), h.C);
  return z.real() < 0 ? mul(w, h.t) : w;
}
/// σ'(z) = 1/(4 cosh²(z/2)).
template <RealScalar R>
std::complex<R> logistic_derivative(std::complex<R> z) {
  const Hyperbolic<R> h(z.real() / 2, z.imag() / 2);
  const std::complex<R> q = divide(R(1), h.C);
  return mul(mul(q, q), h.t);
}

}  // namespace argand
