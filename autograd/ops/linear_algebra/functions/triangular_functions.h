#pragma once
/// The square root and the logarithm of an upper triangular matrix [n, n], by rows. Both commute with multiplying row i by 2^e_i
/// and column i by 2^-e_i (the square root even to the last bit), so a huge element in a corner costs no accuracy.

#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "autograd/ops/linear_algebra/gauge.h"
#include "core/kernels/complex_math.h"

namespace argand::matrices {

/// R R = S (Björck and Hammarling): column by column, r_ij (r_ii + r_jj) = s_ij - Σ_{i<k<j} r_ik r_kj. Returns false if r_ii + r_jj
/// is 0 and the right side exceeds the rounding error of S's largest element.
inline bool sqrt_of_triangle(std::int64_t n, const std::complex<double>* S, std::complex<double>* R) {
  double largest = 0;
  for (std::int64_t k = 0; k < n * n; ++k) largest = std::max(largest, std::abs(S[k]));
  const double rounding = closest_of(largest, n);
  std::fill_n(R, n * n, 0.0);
  for (std::int64_t j = 0; j < n; ++j) {
    R[j * n + j] = std::sqrt(S[j * n + j]);
    for (std::int64_t i = j; i-- > 0;) {
      std::complex<double> right = S[i * n + j];
      for (std::int64_t k = i + 1; k < j; ++k) right -= mul(R[i * n + k], R[k * n + j]);
      const std::complex<double> both = R[i * n + i] + R[j * n + j];
      if (both == 0.0 && std::abs(right) > rounding) return false;
      R[i * n + j] = both == 0.0 ? 0.0 : divide(right, both);
    }
  }
  return true;
}

namespace detail {

/// Exponents e_i such that off-diagonal elements, times 2^(e_j - e_i), are no larger than those on the diagonal.
inline std::vector<int> exponents_of(std::int64_t n, const std::complex<double>* S) {
  std::vector<int> e(static_cast<std::size_t>(n));
  const auto size_of = [&](std::int64_t i, std::int64_t j) { return std::ilogb(std::abs(S[i * n + j])); };
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < j; ++i) {
      const double s = std::abs(S[i * n + j]);
      if (!(s > 0) || !std::isfinite(s)) continue;
      const int room = (size_of(i, i) + size_of(j, j)) / 2 - size_of(i, j);
      e[static_cast<std::size_t>(j)] = std::min(e[static_cast<std::size_t>(j)], e[static_cast<std::size_t>(i)] + room);
    }
  return e;
}
inline std::complex<double> scaled(std::complex<double> z, int e) { return {std::ldexp(z.real(), e), std::ldexp(z.imag(), e)}; }

/// The largest column sum of magnitudes of S - I.
inline double distance_from_identity(std::int64_t n, const std::vector<std::complex<double>>& S) {
  double largest = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    double column = 0;
    for (std::int64_t i = 0; i <= j; ++i) column += std::abs(S[static_cast<std::size_t>(i * n + j)] - (i == j ? 1.0 : 0.0));
    largest = std::max(largest, column);
  }
  return largest;
}

/// e^z - 1 without cancellation.
inline std::complex<double> expm1(std::complex<double> z) {
  const double e = std::expm1(z.real()), half = std::sin(z.imag() / 2);
  return {e * std::cos(z.imag()) - 2 * half * half, (e + 1) * std::sin(z.imag())};
}

/// Gauss-Legendre nodes and weights on [0, 1]: Σ w_k x/(1 + t_k x) is the [7/7] Padé approximant of log(1 + x).
inline constexpr std::array<std::array<double, 2>, 7> legendre{{
    {0.5, 0.417959183673469387755102040816327 / 2},
    {(1 - 0.405845151377397166906606412076961) / 2, 0.381830050505118944950369775488975 / 2},
    {(1 + 0.405845151377397166906606412076961) / 2, 0.381830050505118944950369775488975 / 2},
    {(1 - 0.741531185599394439863864773280788) / 2, 0.279705391489276667901467771423780 / 2},
    {(1 + 0.741531185599394439863864773280788) / 2, 0.279705391489276667901467771423780 / 2},
    {(1 - 0.949107912342758524526189684047851) / 2, 0.129484966168869693270611432679082 / 2},
    {(1 + 0.949107912342758524526189684047851) / 2, 0.129484966168869693270611432679082 / 2},
}};
/// Up to this norm of x the approximant equals log(1 + x) to double precision.
inline constexpr double largest_for_legendre = 0.2879093714241194;

}  // namespace detail

/// L = log S (Al-Mohy and Higham): s square roots bring S^(1/2^s) so close to I that the approximant is accurate; the result is
/// multiplied by 2^s. The diagonals of S^(1/2^s) - I and L come from the eigenvalues themselves. Returns false if an eigenvalue is
/// 0.
inline bool log_of_triangle(std::int64_t n, const std::complex<double>* S, std::complex<double>* L) {
  using Z = std::complex<double>;
  for (std::int64_t i = 0; i < n; ++i)
    if (S[i * n + i] == 0.0) return false;
  const std::vector<int> e = detail::exponents_of(n, S);
  const auto exponent = [&](std::int64_t i, std::int64_t j) {
    return e[static_cast<std::size_t>(j)] - e[static_cast<std::size_t>(i)];
  };
  std::vector<Z> X(static_cast<std::size_t>(n * n)), next(X.size());
  const auto at = [n](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i * n + j); };
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i; j < n; ++j) X[at(i, j)] = detail::scaled(S[i * n + j], exponent(i, j));
  int roots = 0;
  for (; roots < 100 && detail::distance_from_identity(n, X) > detail::largest_for_legendre; ++roots) {
    sqrt_of_triangle(n, X.data(), next.data());
    std::swap(X, next);
  }
  for (std::int64_t i = 0; i < n; ++i) X[at(i, i)] = detail::expm1(detail::scaled(std::log(S[i * n + i]), -roots));
  std::fill_n(L, n * n, 0.0);
  for (const auto [t, w] : detail::legendre)  // L += w (I + t X)⁻¹ X
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j + 1; i-- > 0;) {
        Z right = X[at(i, j)];
        for (std::int64_t k = i + 1; k <= j; ++k) right -= t * mul(X[at(i, k)], next[at(k, j)]);
        next[at(i, j)] = divide(right, 1.0 + t * X[at(i, i)]);
        L[i * n + j] += w * next[at(i, j)];
      }
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i; j < n; ++j)
      L[i * n + j] = i == j ? std::log(S[i * n + i]) : detail::scaled(L[i * n + j], roots - exponent(i, j));
  return true;
}

}  // namespace argand::matrices
