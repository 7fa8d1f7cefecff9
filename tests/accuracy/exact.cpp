#include "tests/accuracy/exact.h"

#include <boost/math/special_functions/erf.hpp>

namespace accuracy {

namespace mp = boost::multiprecision;

Z operator+(const Z& a, const Z& b) { return {a.x + b.x, a.y + b.y}; }
Z operator-(const Z& a, const Z& b) { return {a.x - b.x, a.y - b.y}; }
Z operator-(const Z& a) { return {-a.x, -a.y}; }
Z operator*(const Z& a, const Z& b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
Z operator/(const Z& a, const Z& b) {
  const N square = b.x * b.x + b.y * b.y;
  const Z n = a * conj(b);
  return {n.x / square, n.y / square};
}
Z conj(const Z& z) { return {z.x, -z.y}; }

N modulus(const Z& z) { return mp::sqrt(z.x * z.x + z.y * z.y); }
N arg(const Z& z) { return mp::atan2(z.y, z.x); }
N pi() {
  static const N value = 4 * mp::atan(N(1));
  return value;
}
N erf(const N& x) {
  N w;
  mpfr_erf(w.backend().data(), x.backend().data(), MPFR_RNDN);
  return w;
}
N erfc(const N& x) {
  N w;
  mpfr_erfc(w.backend().data(), x.backend().data(), MPFR_RNDN);
  return w;
}
N log1p(const N& x) {
  N w;
  mpfr_log1p(w.backend().data(), x.backend().data(), MPFR_RNDN);
  return w;
}
N erfinv(const N& x) {
  N w = boost::math::erf_inv(static_cast<double>(x));
  for (int step = 0; step < 5; ++step) w -= (erf(w) - x) * mp::sqrt(pi()) / 2 * mp::exp(N(w * w));  // Newton's method
  return w;
}

Z exp(const Z& z) {
  const N r = mp::exp(z.x);
  if (z.y == 0) return r;
  return {r * mp::cos(z.y), r * mp::sin(z.y)};
}
Z log(const Z& z) { return {mp::log(z.x * z.x + z.y * z.y) / 2, arg(z)}; }
Z log1p(const Z& z) {
  if (z.y == 0 && z.x > -1) return log1p(z.x);
  if (modulus(z) < 1e-45) return z - z * z / Z(2.0);
  return log(Z(1.0) + z);
}
Z expm1(const Z& z) {
  if (modulus(z) < 1e-45) return z + z * z / Z(2.0);
  return exp(z) - Z(1.0);
}
Z sqrt(const Z& z) {
  // First computes the part of the root that does not cancel, then the other part from 2 Re w · Im w = Im z.
  if (z.x == 0 && z.y == 0) return N(0);
  const N big = mp::sqrt((modulus(z) + mp::abs(z.x)) / 2), small = z.y / (2 * big);
  if (z.x >= 0) return {big, small};
  return {mp::abs(small), mp::signbit(z.y) ? -big : big};
}
Z sin(const Z& z) {
  if (z.y == 0) return mp::sin(z.x);
  return {mp::sin(z.x) * mp::cosh(z.y), mp::cos(z.x) * mp::sinh(z.y)};
}
Z cos(const Z& z) {
  if (z.y == 0) return mp::cos(z.x);
  return {mp::cos(z.x) * mp::cosh(z.y), -(mp::sin(z.x) * mp::sinh(z.y))};
}

namespace {

/// 2 cosh z · e^-|x| and 2 sinh z · e^-|x|: neither overflows, and neither cancels where z is small or near iπ/2.
struct Hyperbolic {
  Z cosh, sinh;
  N shrink;  ///< e^-|x|
  explicit Hyperbolic(const Z& z) {
    const N c = z.y == 0 ? N(1) : mp::cos(z.y), s = z.y == 0 ? N(0) : mp::sin(z.y), t = mp::exp(-2 * mp::abs(z.x));
    N difference;  // 1 - e^(-2|x|)
    const N twice = -2 * mp::abs(z.x);
    mpfr_expm1(difference.backend().data(), twice.backend().data(), MPFR_RNDN);
    difference = mp::signbit(z.x) ? difference : -difference;
    cosh = {(1 + t) * c, difference * s};
    sinh = {difference * c, (1 + t) * s};
    shrink = mp::exp(-mp::abs(z.x));
  }
};

}  // namespace

Z tanh(const Z& z) {
  const Hyperbolic h(z);
  return h.sinh / h.cosh;
}
Z tanh_slope(const Z& z) {
  const Hyperbolic h(z);
  const Z q = Z(2 * h.shrink) / h.cosh;
  return q * q;
}
Z logistic(const Z& z) {
  // e^(z/2) / (2 cosh(z/2)); for Re z < 0, e^(z/2) e^-|x|/2 = e^(-|x| + iy/2).
  const Hyperbolic h(z * Z(0.5));
  return exp({z.x < 0 ? z.x : N(0), z.y / 2}) / h.cosh;
}
Z logistic_slope(const Z& z) { return tanh_slope(z * Z(0.5)) * Z(0.25); }
Z pow(const Z& z, const N& p) {
  if (p == 0) return N(1);
  if (z.y == 0 && (z.x > 0 || mp::floor(p) == p)) return mp::pow(z.x, p);
  return exp(log(z) * Z(p));
}
N normal_cdf(const N& x) { return erfc(-x / mp::sqrt(N(2))) / 2; }
N normal_density(const N& x) { return mp::exp(-x * x / 2) / mp::sqrt(2 * pi()); }

}  // namespace accuracy
