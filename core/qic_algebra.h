#pragma once
/// The numbers of QIC: a + bJ with J² = κ(θ) = -1 + sin 2θ, an algebra for every angle θ. θ = 0 gives the complex numbers, θ = π/4
/// the dual numbers (J² = 0); κ stays in [-2, 0]. A number is two reals, stored in a std::complex only for its two parts: products
/// go through QicAlgebra.

#include <cmath>
#include <string_view>

#include "core/error.h"
#include "core/scalar.h"

namespace argand {

/// κ(θ) = J².
template <RealScalar R>
R kappa(R theta) {
  return static_cast<R>(-1 + std::sin(2 * static_cast<double>(theta)));
}
/// dκ/dθ = 2 cos 2θ. Zero at θ = π/4, regardless of the data: an angle that starts there moves only by rounding.
template <RealScalar R>
R kappa_derivative(R theta) {
  return static_cast<R>(2 * std::cos(2 * static_cast<double>(theta)));
}

/// The three ways to measure a + bJ: |z| = sqrt(a² + w b² + 1e-12).
enum class Magnitude {
  Euclidean,  ///< w = 1: the length of (a, b)
  Algebraic,  ///< w = -κ: |z|² = z z̄, the algebra's own norm; multiplicative
  Author,     ///< w = 1 - κ: as defined by the paper's author
};
/// "euclidean", "algebraic", "author". Throws for any other word.
inline Magnitude magnitude_named(std::string_view word) {
  if (word == "euclidean") return Magnitude::Euclidean;
  if (word == "algebraic") return Magnitude::Algebraic;
  if (word == "author") return Magnitude::Author;
  fail("magnitude", "\"{}\" is not one of euclidean|algebraic|author", word);
}

/// w(κ) >= 0.
template <RealScalar R>
R magnitude_weight(Magnitude kind, R kappa) {
  return kind == Magnitude::Euclidean ? R(1) : kind == Magnitude::Algebraic ? -kappa : 1 - kappa;
}
/// dw/dκ.
template <RealScalar R>
R magnitude_weight_derivative(Magnitude kind) {
  return kind == Magnitude::Euclidean ? R(0) : R(-1);
}
/// Added under the root, so that |0| = 1e-6 and the magnitude is smooth everywhere.
template <RealScalar R>
inline constexpr R magnitude_eps = R(1e-12);

/// The arithmetic for one θ.
template <RealScalar R>
class QicAlgebra {
 public:
  using Number = std::complex<R>;  ///< (a, b)
  explicit QicAlgebra(R theta) : kappa_(argand::kappa(theta)) {}

  R kappa() const { return kappa_; }
  /// (a + bJ)(c + dJ) = (ac + κ bd) + (ad + bc) J.
  Number product(Number x, Number y) const {
    return {x.real() * y.real() + kappa_ * x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
  /// a - bJ.
  Number conjugate(Number z) const { return {z.real(), -z.imag()}; }
  /// z z̄ = a² - κ b².
  R norm(Number z) const { return z.real() * z.real() - kappa_ * z.imag() * z.imag(); }
  R magnitude(Magnitude kind, Number z) const {
    return std::sqrt(z.real() * z.real() + magnitude_weight(kind, kappa_) * z.imag() * z.imag() + magnitude_eps<R>);
  }

 private:
  R kappa_;
};

}  // namespace argand
