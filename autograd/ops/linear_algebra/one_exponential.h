#pragma once
/// e^A for one matrix: Al-Mohy and Higham, SIAM J. Matrix Anal. Appl. 31 (2009), algorithm 5.1, in double precision.

#include <array>

#include "autograd/ops/linear_algebra/block_order.h"
#include "autograd/ops/linear_algebra/matrices.h"
#include "core/gemm.h"
#include "core/machine/lapack.h"

namespace argand::matrices {

/// W <- e^A for a finite A, both in T; intermediate values are complex or real doubles. A is halved s times, and a Padé
/// approximant of the result is squared s times. Two measures avoid losing digits unnecessarily:
///  - s follows from ‖A^p‖^{1/p}, p = 4 ... 10, of the balanced A, instead of ‖A‖, which is far larger if A is far from normal.
///  - A is made block triangular as far as possible (BlockOrder), so that no pivot comes from another block; a triangular A has
///    its diagonal e^{a_ii} and the first superdiagonal recomputed in each squaring (code fragment 2.1).
/// A balanced A can be so small that a low degree suffices for it but not for e^A, whose elements far from the diagonal are
/// products of many elements of A: the approximant's remainder is compared with each column of the resulting e^A (columns_need).
template <Scalar T>
class OneExponential {
 public:
  using D = std::conditional_t<ComplexScalar<T>, std::complex<double>, double>;

  OneExponential(std::int64_t n, const T* A) : n_(n), blocks_(n, A), A_(static_cast<std::size_t>(n * n)) {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) at(A_, i, j) = static_cast<D>(A[from(i) * n + from(j)]);
  }

  void write(T* W) {
    if (n_ == 0) return;
    balance();
    Matrix X = of_scaled(halve());
    for (int k = halvings_; true; --k) {
      if (blocks_.is_triangular()) put_diagonals(X, k);
      if (k == 0) break;
      X = times(X, X);
    }
    const bool even = is_balanced();
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < n_; ++j) {
        const D x = at(X, i, j);
        W[from(i) * n_ + from(j)] = static_cast<T>(even ? x : by_power(x, exponents_[place(i)] - exponents_[place(j)]));
      }
  }

 private:
  using Matrix = std::vector<D>;
  /// A Padé approximant [m/m] in A: with U = A Σ b_{2k+1} A^{2k} and V = Σ b_2k A^{2k}, e^A ≈ (V - U)⁻¹ (V + U).
  struct Halved {
    int degree;
    Matrix A, A2, A4, A6, A8;
  };

  static std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::int64_t from(std::int64_t i) const { return blocks_.order[place(i)]; }
  D& at(Matrix& A, std::int64_t i, std::int64_t j) const { return A[place(i * n_ + j)]; }
  const D& at(const Matrix& A, std::int64_t i, std::int64_t j) const { return A[place(i * n_ + j)]; }
  static D by_power(D x, int exponent) {
    if constexpr (ComplexScalar<D>)
      return {std::ldexp(x.real(), exponent), std::ldexp(x.imag(), exponent)};
    else
      return std::ldexp(x, exponent);
  }
  static Matrix by_power(Matrix A, int exponent) {
    if (exponent == 0) return A;
    const double factor = std::ldexp(1.0, exponent);
    if (std::isnormal(factor))
      for (D& a : A) a *= factor;
    else
      for (D& a : A) a = by_power(a, exponent);
    return A;
  }

  /// |a| within a factor of √2, close enough for a norm.
  static double modulus(D a) {
    if constexpr (ComplexScalar<D>)
      return std::abs(a.real()) + std::abs(a.imag());
    else
      return std::abs(a);
  }
  /// |A|₁, the largest column sum of magnitudes.
  double norm(const Matrix& A) const {
    std::vector<double> columns(place(n_), 0);
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < n_; ++j) columns[place(j)] += modulus(at(A, i, j));
    return *std::max_element(columns.begin(), columns.end());
  }
  /// log₂ of the rows xᵀ |A|^k, k = 0 ... power, concatenated, computed by products with vectors; empty if xᵀ |A|^power is 0.
  std::vector<double> log_row_powers(const Matrix& A, std::vector<double> x, int power) const {
    std::vector<double> magnitudes(A.size()), y(x.size()), logs;
    std::transform(A.begin(), A.end(), magnitudes.begin(), [](D a) { return modulus(a); });
    for (int k = 0, exponent = 0; true; ++k) {
      for (const double v : x) logs.push_back(std::log2(v) + exponent);
      if (k == power) return logs;
      std::fill(y.begin(), y.end(), 0);
      for (std::int64_t i = 0; i < n_; ++i)
        for (std::int64_t j = 0; j < n_; ++j) y[place(j)] += x[place(i)] * magnitudes[place(i * n_ + j)];
      const double largest = *std::max_element(y.begin(), y.end());
      if (largest == 0) return {};
      const int shift = std::ilogb(largest);
      exponent += shift;
      std::transform(y.begin(), y.end(), x.begin(), [&](double v) { return std::ldexp(v, -shift); });
    }
  }
  /// log₂ ‖ |A|^power ‖₁
  double log_norm_of_moduli(const Matrix& A, int power) const {
    const std::vector<double> logs = log_row_powers(A, std::vector<double>(place(n_), 1), power);
    return logs.empty() ? -std::numeric_limits<double>::infinity() : *std::max_element(logs.end() - n_, logs.end());
  }
  Matrix times(const Matrix& A, const Matrix& B) const {
    Matrix C(A.size());
    gemm<D>(Transpose::No, Transpose::No, n_, n_, n_, D(1), A.data(), n_, B.data(), n_, D(0), C.data(), n_);
    return C;
  }

  void balance() {
    exponents_.assign(place(n_), 0);
    if (norm(A_) <= 0.5) return;
    exponents_ = balancing_exponents(n_, A_.data(), blocks_);
    if (is_balanced()) return;
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < n_; ++j) at(A_, i, j) = by_power(at(A_, i, j), exponents_[place(j)] - exponents_[place(i)]);
  }

  bool is_balanced() const {
    return std::all_of(exponents_.begin(), exponents_.end(), [&](int d) { return d == exponents_[0]; });
  }

  /// The number of further halvings of 2^exponent A, beyond those that its powers suggest, after which the terms that the
  /// approximant omits are below rounding: ℓ(A, m) in the paper.
  int more_halvings(const Matrix& A, int exponent, int m) const {
    // log₂ of 1 / (binomial(2m, m) (2m + 1)!), for m = 3, 5, 7, 9, 13
    static const std::array<double, 14> log_c = [] {
      std::array<double, 14> logs{};
      for (int degree = 1; degree < 14; ++degree)
        logs[place(degree)] =
            -(std::lgamma(2 * degree + 1) - 2 * std::lgamma(degree + 1) + std::lgamma(2 * degree + 2)) / std::log(2.0);
      return logs;
    }();
    const double size = norm(A);
    if (size == 0) return 0;
    const int of_columns = is_balanced() ? 0 : columns_need(A, exponent, m, log_c[place(m)]);
    const auto halvings = [&](double log_of_power) {  // ‖ |A|^{2m+1} ‖₁
      const double log_alpha = log_c[place(m)] + log_of_power + exponent * 2.0 * m - std::log2(size);
      return log_alpha <= -53 ? 0 : static_cast<int>(std::ceil((log_alpha + 53) / (2 * m)));
    };
    if (halvings((2 * m + 1) * std::log2(size)) == 0) return of_columns;
    return std::max(of_columns, halvings(log_norm_of_moduli(A, 2 * m + 1)));
  }

  /// The number of halvings of 2^exponent A, A = D⁻¹ A₀ D, after which c |A₀|^{2m+1}, roughly the omitted terms, is below rounding
  /// in every column of Σ |A₀|^k/k!. The last factor of D |A|^k D⁻¹ scales columns and is the same on both sides.
  int columns_need(const Matrix& A, int exponent, int m, double log_c) const {
    static const std::array<double, 28> log_factorial = [] {
      std::array<double, 28> logs{};
      for (int k = 0; k < 28; ++k) logs[place(k)] = std::lgamma(k + 1) / std::log(2.0);
      return logs;
    }();
    const int last = 2 * m + 1, most = *std::max_element(exponents_.begin(), exponents_.end());
    std::vector<double> weights(place(n_));
    std::transform(exponents_.begin(), exponents_.end(), weights.begin(),
                   [&](int d) { return std::ldexp(1.0, std::max(d - most, -900)); });
    const std::vector<double> logs = log_row_powers(A, std::move(weights), last);
    if (logs.empty()) return 0;
    const auto log_term = [&](int k, std::int64_t j, int halvings) { return logs[place(k * n_ + j)] + k * (exponent - halvings); };
    const auto fits = [&](std::int64_t j, int halvings) {
      double largest = log_term(0, j, halvings);
      for (int k = 1; k <= last; ++k) largest = std::max(largest, log_term(k, j, halvings) - log_factorial[place(k)]);
      return log_c + log_term(last, j, halvings) <= largest - 53;
    };
    // Where put_diagonals does not apply, each squaring doubles the rounding errors of the diagonal.
    const int limit = blocks_.is_triangular() ? 60 : 10;
    int halvings = 0;
    for (std::int64_t j = 0; j < n_; ++j)
      while (halvings < limit && !fits(j, halvings)) ++halvings;
    return halvings;
  }

  /// Chooses the degree and halves A. The powers are those of A scaled to values near 1, so they cannot overflow.
  Halved halve() {
    double largest = 0;
    for (const D& a : A_) largest = std::max(largest, modulus(a));
    const int unit = largest > 1 ? std::ilogb(largest) : 0;
    Halved H{0, by_power(A_, -unit), {}, {}, {}, {}};
    const auto root = [&](const Matrix& power, int p) { return std::log2(norm(power)) / p + unit; };  // log₂ ‖A^p‖^{1/p}
    const auto fits = [&](double eta, double theta, int m) { return eta <= std::log2(theta) && more_halvings(H.A, unit, m) == 0; };
    H.A2 = times(H.A, H.A), H.A4 = times(H.A2, H.A2), H.A6 = times(H.A2, H.A4);
    const double d4 = root(H.A4, 4), d6 = root(H.A6, 6), low = std::max(d4, d6);
    if (fits(low, 1.495585217958292e-2, 3)) return scaled(std::move(H), 3, unit, 0);
    if (fits(low, 2.539398330063230e-1, 5)) return scaled(std::move(H), 5, unit, 0);
    H.A8 = times(H.A4, H.A4);
    const double d8 = root(H.A8, 8), middle = std::max(d6, d8);
    if (fits(middle, 9.504178996162932e-1, 7)) return scaled(std::move(H), 7, unit, 0);
    if (fits(middle, 2.097847961257068, 9)) return scaled(std::move(H), 9, unit, 0);
    const double d10 = root(times(H.A4, H.A6), 10), eta = std::min(middle, std::max(d8, d10));
    const int halvings = std::max(0, std::isinf(eta) ? 0 : static_cast<int>(std::ceil(eta - std::log2(4.25))));
    const int more = more_halvings(H.A, unit - halvings, 13);  // before H is moved from
    return scaled(std::move(H), 13, unit, halvings + more);
  }
  Halved scaled(Halved H, int degree, int unit, int halvings) {
    halvings_ = halvings;
    const int by = unit - halvings;
    if (by == 0) return H.degree = degree, H;
    return {
        degree, by_power(H.A, by), by_power(H.A2, 2 * by), by_power(H.A4, 4 * by), by_power(H.A6, 6 * by), by_power(H.A8, 8 * by)};
  }

  /// Σ c_k A^{2k}
  Matrix even_powers(const Halved& H, std::initializer_list<double> c) const {
    const Matrix* const powers[] = {nullptr, &H.A2, &H.A4, &H.A6, &H.A8};
    Matrix C(H.A.size(), D(0));
    int k = 0;
    for (const double b : c) {
      if (k == 0)
        for (std::int64_t i = 0; i < n_; ++i) at(C, i, i) = b;
      else if (b != 0)
        for (std::size_t e = 0; e < C.size(); ++e) C[e] += b * (*powers[k])[e];
      ++k;
    }
    return C;
  }

  Matrix of_scaled(const Halved& H) const {
    Matrix U, V;
    switch (H.degree) {
      case 3: U = even_powers(H, {60, 1}), V = even_powers(H, {120, 12}); break;
      case 5: U = even_powers(H, {15120, 420, 1}), V = even_powers(H, {30240, 3360, 30}); break;
      case 7: U = even_powers(H, {8648640, 277200, 1512, 1}), V = even_powers(H, {17297280, 1995840, 25200, 56}); break;
      case 9:
        U = even_powers(H, {8821612800, 302702400, 2162160, 3960, 1});
        V = even_powers(H, {17643225600, 2075673600, 30270240, 110880, 90});
        break;
      default:
        U = sum(times(H.A6, even_powers(H, {0, 40840800, 16380, 1})),
                even_powers(H, {32382376266240000, 1187353796428800, 10559470521600, 33522128640}), 1);
        V = sum(times(H.A6, even_powers(H, {0, 1323241920, 960960, 182})),
                even_powers(H, {64764752532480000, 7771770303897600, 129060195264000, 670442572800}), 1);
    }
    U = times(H.A, U);
    // Stored by columns, as in LAPACK: an upper triangular matrix then has no pivots below its diagonal.
    std::vector<D> below = by_columns(n_, n_, sum(V, U, -1).data()), X = by_columns(n_, n_, sum(V, U, 1).data());
    std::vector<int> pivots;
    lapack_lu(n_, below.data(), pivots);
    lapack_solve(false, n_, n_, below.data(), pivots, X.data());
    return by_columns(n_, n_, X.data());
  }
  static Matrix sum(Matrix A, const Matrix& B, double b) {
    for (std::size_t k = 0; k < A.size(); ++k) A[k] += b * B[k];
    return A;
  }

  /// Writes the diagonal and the first superdiagonal of e^{A/2^k} for a triangular A.
  void put_diagonals(Matrix& X, int k) const {
    for (std::int64_t i = 0; i < n_; ++i) {
      const D a = by_power(at(A_, i, i), -k);
      at(X, i, i) = std::exp(a);
      if (i + 1 < n_) at(X, i, i + 1) = by_power(at(A_, i, i + 1), -k) * divided_difference(a, by_power(at(A_, i + 1, i + 1), -k));
    }
  }
  /// (e^a - e^b)/(a - b) = e^a (1 - e^{-Δ})/Δ, Δ = a - b, where a has the larger real part: overflows only if the result does.
  static D divided_difference(D a, D b) {
    if (real_of(a) < real_of(b)) std::swap(a, b);
    const D delta = a - b;
    if (std::abs(delta) < 1e-300) return std::exp(a);
    const D e = std::exp(a);
    if (e == D(0)) return e;
    if constexpr (ComplexScalar<D>) {
      const double x = -delta.real(), y = -delta.imag(), s = std::sin(y / 2), shrink = std::exp(x);
      // e^{x + iy} - 1
      const D less{std::expm1(x) * std::cos(y) - 2 * s * s, shrink * std::sin(y)};
      return e * (-less / delta);
    } else {
      return e * (-std::expm1(-delta) / delta);
    }
  }

  std::int64_t n_;
  BlockOrder blocks_;
  Matrix A_;                    // A in the order of blocks_; after balance(), D⁻¹ A D
  std::vector<int> exponents_;  // exponents of D
  int halvings_ = 0;
};

}  // namespace argand::matrices
