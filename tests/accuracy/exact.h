#pragma once
/// Real and complex numbers of 500 bits, and the exact values and derivatives of ops that argand's results are compared with.
/// Neither this file nor the exact formulas use the library: everything is derived from the mathematics.

#include <boost/multiprecision/mpfr.hpp>
#include <complex>
#include <functional>
#include <span>
#include <vector>

namespace accuracy {

/// A number of 150 decimal digits. Its exponent has 62 bits, so it does not overflow when the measured type does not.
using N = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<150, boost::multiprecision::allocate_stack>,
                                        boost::multiprecision::et_off>;

/// The complex number x + iy.
struct Z {
  N x = 0, y = 0;
  Z() = default;
  Z(N re, N im = 0) : x(std::move(re)), y(std::move(im)) {}
  Z(double re) : x(re) {}
  Z(float re) : x(re) {}
  template <class R>
  Z(std::complex<R> z) : x(z.real()), y(z.imag()) {}
};

Z operator+(const Z& a, const Z& b);
Z operator-(const Z& a, const Z& b);
Z operator-(const Z& a);
Z operator*(const Z& a, const Z& b);
Z operator/(const Z& a, const Z& b);
Z conj(const Z& z);
inline const Z i_unit{N(0), N(1)};

N modulus(const Z& z);
N arg(const Z& z);
N pi();
N erf(const N& x);
N erfc(const N& x);
N erfinv(const N& x);
N log1p(const N& x);

Z exp(const Z& z);
Z log(const Z& z);    ///< principal branch
Z log1p(const Z& z);  ///< log(1 + z)
Z expm1(const Z& z);  ///< e^z - 1
Z sqrt(const Z& z);   ///< root with Re >= 0
Z sin(const Z& z);
Z cos(const Z& z);
Z tanh(const Z& z);
Z logistic(const Z& z);        ///< 1/(1 + e^-z)
Z tanh_slope(const Z& z);      ///< 1/cosh² z
Z logistic_slope(const Z& z);  ///< 1/(4 cosh²(z/2))
Z pow(const Z& z, const N& p);
N normal_cdf(const N& x);      ///< Φ
N normal_density(const N& x);  ///< φ = e^(-x²/2)/√(2π)

/// ∂w/∂z and ∂w/∂z̄ for one input z; for a real input x, dz is ∂w/∂x and dzbar is 0.
struct Partial {
  Z dz, dzbar;
};
/// The value of an op and its derivatives with respect to its leading inputs; inputs that are not variables come last.
struct Jet {
  Z w;
  std::vector<Partial> d;
};
using Exact = std::function<Jet(std::span<const Z>)>;

}  // namespace accuracy
