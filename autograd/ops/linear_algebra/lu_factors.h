#pragma once
/// LU factors of stacks of square matrices, for solve, inv, det and slogdet.

#include <algorithm>

#include "autograd/op_check.h"
#include "autograd/ops/linear_algebra/matrices.h"
#include "core/machine/lapack.h"

namespace argand::matrices {

/// U_kk of one matrix that lapack_lu() has factorised, with the sign of P in the first: their product is the determinant.
template <Scalar T>
std::vector<T> lu_diagonal(std::int64_t n, const T* factors, const std::vector<int>& pivots) {
  std::vector<T> d;
  bool odd = false;
  for (std::int64_t k = 0; k < n; ++k) {
    d.push_back(factors[k * n + k]);
    odd ^= pivots[static_cast<std::size_t>(k)] != k + 1;
  }
  if (odd) d[0] = -d[0];
  return d;
}
template <Scalar T>
T product_of(const std::vector<T>& numbers) {
  T product(1);
  for (const T x : numbers) product = mul(product, x);
  return product;
}

/// P A = L U of every matrix of a stack.
template <Scalar T>
class LuFactors {
 public:
  explicit LuFactors(std::string_view op, const Tensor<T>& A)
      : stack_(square(op, A.shape())),
        shape_(A.shape()),
        factors_(A.shape()),
        pivots_(static_cast<std::size_t>(stack_.count)),
        zero_(pivots_.size()),
        nan_(pivots_.size()) {
    const std::int64_t n = stack_.n;
    T* const out = factors_.data();
    each(stack_, [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      nan_[at] = holds_nan(A.data() + i * n * n, n * n);
      transpose_into(n, n, A.data() + i * n * n, out + i * n * n);
      zero_[at] = lapack_lu(n, out + i * n * n, pivots_[at]);
    });
  }
  const Stack& stack() const { return stack_; }
  bool is_nan(std::int64_t i) const { return nan_[static_cast<std::size_t>(i)] != 0; }
  bool is_singular(std::int64_t i) const { return !is_nan(i) && zero_[static_cast<std::size_t>(i)] != 0; }
  /// By the diagonal of U: an inverse then has lost three digits, not more.
  bool is_far_from_singular(std::int64_t i) const {
    RealOf<T> smallest = std::numeric_limits<RealOf<T>>::infinity(), largest = 0;
    for (const T u : diagonal(i)) smallest = std::min(smallest, std::abs(u)), largest = std::max(largest, std::abs(u));
    return smallest > RealOf<T>(1e-3) * largest;
  }
  void require_regular(std::string_view op) const {
    for (std::int64_t i = 0; i < stack_.count; ++i) require(!is_singular(i), op, "{} is singular", name_of(i, stack_, shape_));
  }

  /// A⁻¹ B, or A⁻ᴴ B; B [..., n, k].
  Tensor<T> solved(const Tensor<T>& B, bool adjoint) const {
    const std::int64_t n = stack_.n, k = B.dim(-1);
    Tensor<T> X(B.shape());
    T* const out = X.data();
    const T* const factors = factors_.data();
    each(stack_, [&](std::int64_t i) {
      if (is_nan(i)) return fill_with_nan(out + i * n * k, n * k);
      std::vector<T> columns = by_columns(n, k, B.data() + i * n * k);
      lapack_solve(adjoint, n, k, factors + i * n * n, pivots_[static_cast<std::size_t>(i)], columns.data());
      transpose_into(k, n, columns.data(), out + i * n * k);
    });
    return X;
  }
  /// A⁻¹ or A⁻ᴴ.
  Tensor<T> inverse(bool adjoint) const {
    return solved(map_places(factors_, [](std::int64_t, std::int64_t i, std::int64_t j, T) { return T(i == j); }), adjoint);
  }
  std::vector<T> diagonal(std::int64_t i) const {
    return lu_diagonal(stack_.n, factors_.data() + i * stack_.n * stack_.n, pivots_[static_cast<std::size_t>(i)]);
  }
  T determinant(std::int64_t i) const { return product_of(diagonal(i)); }

 private:
  Stack stack_;
  Shape shape_;
  Tensor<T> factors_;  // each by columns
  std::vector<std::vector<int>> pivots_;
  std::vector<std::int64_t> zero_;
  std::vector<char> nan_;
};

/// Far from singular: I plus a little.
template <Scalar T>
Tensor<T> regular(Tensor<T> A) {
  const std::int64_t n = A.dim(-1);
  for (std::int64_t k = 0; k < A.size(); ++k) A.data()[k] = A.data()[k] * RealOf<T>(0.4) / std::sqrt(RealOf<T>(n));
  for (std::int64_t k = 0; k < A.size(); ++k)
    if (k / n % n == k % n) A.data()[k] += T(2);
  return A;
}

/// The lengths to which a function of one regular matrix is checked: many matrices, and large ones.
template <class F>
void grows_regular(OpCheck& check, const F& f) {
  check.places_matter();
  check.grows("batch", [f](OpCheck& at, std::int64_t n) {
    at.function("real", f, regular(at.real({n, 2, 2})));
    at.function("complex", f, regular(at.complex({n, 2, 2})));
  });
  check.grows(
      "size",
      [f](OpCheck& at, std::int64_t n) {
        at.function("complex", f, regular(at.complex({n, n})));
      },
      67);
}

}  // namespace argand::matrices
