#pragma once
/// LU factors of stacks of square matrices, for solve, inv, det and slogdet.

#include <algorithm>

#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/matrices.h"
#include "core/machine/lapack.h"

namespace argand::matrices {

/// A number m 2^exponent, for products of many factors: overflows only if the result does.
template <Scalar T>
struct Scaled {
  T m{1};
  std::int64_t exponent = 0;

  void operator*=(T x) {
    m = mul(m, x);
    RealOf<T> size = std::abs(real_of(m));
    if constexpr (ComplexScalar<T>) size = std::max(size, std::abs(m.imag()));
    if (size == 0 || !std::isfinite(size)) return;
    const int by = std::ilogb(size);
    m = times_power(m, -by);
    exponent += by;
  }
  T value() const { return times_power(m, exponent); }

  /// x 2^exponent
  static T times_power(T x, std::int64_t exponent) {
    const int e = static_cast<int>(std::clamp<std::int64_t>(exponent, -100'000, 100'000));
    if constexpr (ComplexScalar<T>)
      return {std::ldexp(x.real(), e), std::ldexp(x.imag(), e)};
    else
      return std::ldexp(x, e);
  }
};
/// The exponent e of |x| = m 2^e with 1 <= m < 2; 0 for an x that is 0 or not finite.
template <Scalar T>
int exponent_of(T x) {
  const RealOf<T> size = std::abs(x);
  return size == 0 || !std::isfinite(size) ? 0 : std::ilogb(size);
}

/// The determinant of a matrix factorized by lapack_lu(): the product of its U_kk, with the sign of P.
template <Scalar T>
Scaled<T> product_of_diagonal(std::int64_t n, const T* factors, const std::vector<int>& pivots) {
  Scaled<T> product;
  bool odd = false;
  for (std::int64_t k = 0; k < n; ++k) {
    product *= factors[k * n + k];
    odd ^= pivots[static_cast<std::size_t>(k)] != k + 1;
  }
  if (odd) product.m = -product.m;
  return product;
}

/// P B = L U for each matrix of a stack, with A_ij = 2^{r_i} B_ij 2^{c_j}: B is well scaled even where rows or columns of A differ
/// widely in size or lie near the ends of the range. For a lower triangular A the transpose is factorized, which needs no pivots.
template <Scalar T>
class LuFactors {
 public:
  explicit LuFactors(std::string_view op, const Tensor<T>& A)
      : stack_(square(op, A.shape())), shape_(A.shape()), factors_(A.shape()), ones_(static_cast<std::size_t>(stack_.count)) {
    const std::int64_t n = stack_.n;
    T* const out = factors_.data();
    each(stack_, [&](std::int64_t i) {
      One& one = ones_[static_cast<std::size_t>(i)];
      const T* const a = A.data() + i * n * n;
      one.nan = holds_nan(a, n * n);
      one.transposed = is_lower_triangular(a);
      if (one.transposed)
        std::copy_n(a, n * n, out + i * n * n);
      else
        transpose_into(n, n, a, out + i * n * n);
      one.rows.assign(static_cast<std::size_t>(n), 0), one.columns = one.rows;
      if (!one.nan && all_finite(a, n * n)) equilibrate(one, out + i * n * n);
      one.zero = lapack_lu(n, out + i * n * n, one.pivots);
    });
  }
  const Stack& stack() const { return stack_; }
  bool is_nan(std::int64_t i) const { return of(i).nan; }
  bool is_singular(std::int64_t i) const { return !is_nan(i) && of(i).zero != 0; }
  /// Whether the diagonal of U shows that matrix i is far from singular; its inverse then loses at most three digits.
  bool is_far_from_singular(std::int64_t i) const {
    RealOf<T> smallest = std::numeric_limits<RealOf<T>>::infinity(), largest = 0;
    for (std::int64_t k = 0; k < stack_.n; ++k) {
      const RealOf<T> u = std::abs(factors(i)[k * stack_.n + k]);
      smallest = std::min(smallest, u), largest = std::max(largest, u);
    }
    return smallest > RealOf<T>(1e-3) * largest;
  }
  void require_regular(std::string_view op) const {
    for (std::int64_t i = 0; i < stack_.count; ++i) require(!is_singular(i), op, "{} is singular", name_of(i, stack_, shape_));
  }

  /// A⁻¹ B or A⁻ᴴ B; B [..., n, k].
  Tensor<T> solved(const Tensor<T>& B, bool adjoint) const {
    const std::int64_t n = stack_.n, k = B.dim(-1);
    Tensor<T> X(B.shape());
    T* const out = X.data();
    each(stack_, [&](std::int64_t i) {
      const One& one = of(i);
      if (one.nan) return fill_with_nan(out + i * n * k, n * k);
      std::vector<T> columns = by_columns(n, k, B.data() + i * n * k);
      const std::vector<int>&before = adjoint ? one.columns : one.rows, &after = adjoint ? one.rows : one.columns;
      if (!one.scaled) solve_one(i, adjoint, k, columns.data());
      for (std::int64_t j = 0; one.scaled && j < k; ++j) solve_scaled(i, adjoint, columns.data() + j * n, before, after);
      transpose_into(k, n, columns.data(), out + i * n * k);
    });
    return X;
  }
  /// A⁻¹ or A⁻ᴴ.
  Tensor<T> inverse(bool adjoint) const {
    return solved(map_places(factors_, [](std::int64_t, std::int64_t i, std::int64_t j, T) { return T(i == j); }), adjoint);
  }
  Scaled<T> determinant(std::int64_t i) const {
    Scaled<T> d = product_of_diagonal(stack_.n, factors(i), of(i).pivots);
    d.exponent += all_exponents(i);
    return d;
  }

  /// The power of two by which the minor of A without row i and column j exceeds the same minor of B.
  std::int64_t exponent_of_minor(std::int64_t at, std::int64_t i, std::int64_t j) const {
    return all_exponents(at) - of(at).rows[static_cast<std::size_t>(i)] - of(at).columns[static_cast<std::size_t>(j)];
  }
  std::int64_t all_exponents(std::int64_t i) const {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < of(i).rows.size(); ++k) sum += of(i).rows[k] + of(i).columns[k];
    return sum;
  }
  /// Computes B from A, both by rows.
  void scale_down(std::int64_t at, const T* A, T* B) const {
    for (std::int64_t i = 0, k = 0; i < stack_.n; ++i)
      for (std::int64_t j = 0; j < stack_.n; ++j, ++k)
        B[k] =
            Scaled<T>::times_power(A[k], -of(at).rows[static_cast<std::size_t>(i)] - of(at).columns[static_cast<std::size_t>(j)]);
  }
  /// B⁻ᴴ, by rows.
  std::vector<T> scaled_inverse(std::int64_t i) const {
    const std::int64_t n = stack_.n;
    std::vector<T> X(static_cast<std::size_t>(n * n), T(0)), rows(X.size());
    for (std::int64_t k = 0; k < n; ++k) X[static_cast<std::size_t>(k * n + k)] = T(1);
    solve_one(i, true, n, X.data());
    transpose_into(n, n, X.data(), rows.data());
    return rows;
  }

 private:
  struct One {
    std::int64_t zero = 0;
    bool nan = false, transposed = false, scaled = false;
    std::vector<int> pivots, rows, columns;
  };
  const One& of(std::int64_t i) const { return ones_[static_cast<std::size_t>(i)]; }
  const T* factors(std::int64_t i) const { return factors_.data() + i * stack_.n * stack_.n; }

  bool is_lower_triangular(const T* A) const {
    for (std::int64_t i = 0; i < stack_.n; ++i)
      for (std::int64_t j = i + 1; j < stack_.n; ++j)
        if (A[i * stack_.n + j] != T(0)) return false;
    return true;
  }
  /// Replaces A by B, by columns (transposed: by rows), so that the largest element of each row and column is near 1. If rows and
  /// columns are of similar size, one power multiplies all elements, so that A and 2^k A have the same pivots.
  void equilibrate(One& one, T* A) const {
    const std::int64_t n = stack_.n;
    std::vector<int>&rows = one.transposed ? one.columns : one.rows, &columns = one.transposed ? one.rows : one.columns;
    constexpr int none = -100'000;
    std::fill(rows.begin(), rows.end(), none), std::fill(columns.begin(), columns.end(), none);
    const auto size = [&](std::int64_t i, std::int64_t j) { return A[j * n + i] == T(0) ? none : exponent_of(A[j * n + i]); };
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        int& row = rows[static_cast<std::size_t>(i)];
        row = std::max(row, size(i, j));
      }
    int high = none, low = -none;
    for (const int e : rows)
      if (e != none) high = std::max(high, e), low = std::min(low, e);
    if (high == none) {  // no element, or only zeros
      std::fill(rows.begin(), rows.end(), 0), std::fill(columns.begin(), columns.end(), 0);
      return;
    }
    std::replace(rows.begin(), rows.end(), none, high);
    for (std::int64_t j = 0; j < n; ++j) {
      int& column = columns[static_cast<std::size_t>(j)];
      for (std::int64_t i = 0; i < n; ++i) {
        const int e = size(i, j);
        if (e != none) column = std::max(column, e - rows[static_cast<std::size_t>(i)]);
      }
    }
    std::replace(columns.begin(), columns.end(), none, 0);
    const bool even_columns = std::all_of(columns.begin(), columns.end(), [](int e) { return std::abs(e) <= 10; });
    if (high - low <= 20 && even_columns) {
      const int common = std::abs(high) <= 10 ? 0 : high;
      std::fill(rows.begin(), rows.end(), common), std::fill(columns.begin(), columns.end(), 0);
      if (common == 0) return;
    }
    one.scaled = true;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        A[j * n + i] =
            Scaled<T>::times_power(A[j * n + i], -rows[static_cast<std::size_t>(i)] - columns[static_cast<std::size_t>(j)]);
  }

  /// X <- B⁻¹ X or B⁻ᴴ X, by columns.
  void solve_one(std::int64_t i, bool adjoint, std::int64_t k, T* X) const {
    const std::int64_t n = stack_.n;
    const One& one = of(i);
    const auto conjugate = [&] {  // (Bᵀ)⁻¹ x is the conjugate of B⁻ᴴ conj(x)
      if (ComplexScalar<T> && one.transposed) std::transform(X, X + n * k, X, [](T x) { return conj_of(x); });
    };
    conjugate();
    lapack_solve(adjoint != one.transposed, n, k, factors(i), one.pivots, X);
    conjugate();
  }
  /// x <- 2^-after B⁻¹ 2^-before x for one column, without intermediate overflow.
  void solve_scaled(std::int64_t i, bool adjoint, T* x, const std::vector<int>& before, const std::vector<int>& after) const {
    int largest = std::numeric_limits<int>::min();
    for (std::int64_t k = 0; k < stack_.n; ++k)
      if (x[k] != T(0)) largest = std::max(largest, exponent_of(x[k]) - before[static_cast<std::size_t>(k)]);
    if (largest == std::numeric_limits<int>::min()) largest = 0;
    for (std::int64_t k = 0; k < stack_.n; ++k) x[k] = Scaled<T>::times_power(x[k], -before[static_cast<std::size_t>(k)] - largest);
    solve_one(i, adjoint, 1, x);
    for (std::int64_t k = 0; k < stack_.n; ++k) x[k] = Scaled<T>::times_power(x[k], largest - after[static_cast<std::size_t>(k)]);
  }

  Stack stack_;
  Shape shape_;
  Tensor<T> factors_;  // each stored by columns
  std::vector<One> ones_;
};

/// A well-conditioned matrix: 2 on the diagonal, plus a small multiple of A.
template <Scalar T>
Tensor<T> regular(Tensor<T> A) {
  const std::int64_t n = A.dim(-1);
  for (std::int64_t k = 0; k < A.size(); ++k) A.data()[k] = A.data()[k] * RealOf<T>(0.4) / std::sqrt(RealOf<T>(n));
  for (std::int64_t k = 0; k < A.size(); ++k)
    if (k / n % n == k % n) A.data()[k] += T(2);
  return A;
}

/// Checks a function of a nonsingular matrix at many sizes: on stacks of many small matrices, and on large ones.
template <class F>
void sizes_regular(OpCheck& check, const F& f, std::int64_t longest = 67) {
  check.position_dependent();
  check.sizes("batch", [f](OpCheck& at, std::int64_t n) {
    at.function("real", f, regular(at.real({batch_of(n), 2, 2})));
    at.function("complex", f, regular(at.complex({batch_of(n), 2, 2})));
  });
  check.sizes(
      "size",
      [f](OpCheck& at, std::int64_t n) {
        at.function("complex", f, regular(at.complex({n, n})));
      },
      longest);
}

}  // namespace argand::matrices
