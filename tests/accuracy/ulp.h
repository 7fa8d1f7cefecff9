#pragma once
/// Errors in units in the last place.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/scalar.h"
#include "tests/accuracy/exact.h"

namespace accuracy {

using argand::RealOf;

/// The distance between neighbouring numbers of type R around |size|: 2^(e-p+1) for 2^e <= |size| < 2^(e+1) with p bits. Below the
/// normal range it is the spacing of the subnormal numbers; above the largest number, that of the largest numbers.
template <class R>
N unit_at(const N& size) {
  using L = std::numeric_limits<R>;
  int exponent = L::min_exponent - 1;
  if (size != 0) {
    const N magnitude = abs(size);
    const mpfr_exp_t e = mpfr_get_exp(magnitude.backend().data()) - 1;  // MPFR's mantissas lie in [1/2, 1)
    exponent = static_cast<int>(std::clamp<mpfr_exp_t>(e, L::min_exponent - 1, L::max_exponent - 1));
  }
  return ldexp(N(1), exponent - (L::digits - 1));
}

/// Replaces everything beyond the largest number of R, including infinity, by the first power of two beyond it. A result that is
/// correctly infinite then has error 0; one that should be near the largest number has an error as large as its distance from the
/// exact number.
template <class R>
N within(const N& v) {
  const N beyond = ldexp(N(1), std::numeric_limits<R>::max_exponent);
  return v > beyond ? beyond : v < -beyond ? -beyond : v;
}

/// |w - exact| in units of the last place of `size`; infinite if w is NaN although the exact number is within the range of the
/// type.
template <class T>
double ulps(T w, const Z& exact, const N& size) {
  using R = RealOf<T>;
  const Z got(w), clamped(within<R>(exact.x), within<R>(exact.y));
  // A complex number beyond the type's range has no direction left.
  const bool overflow = argand::ComplexScalar<T> && within<R>(modulus(exact)) != modulus(exact);
  if (overflow && !(isfinite(got.x) && isfinite(got.y))) return 0;
  if (isnan(got.x) || isnan(got.y)) return std::numeric_limits<double>::infinity();
  const Z error = Z(within<R>(got.x), within<R>(got.y)) - clamped;
  return static_cast<double>(N(modulus(error) / unit_at<R>(size)));
}

}  // namespace accuracy
