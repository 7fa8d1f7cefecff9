#pragma once
/// Sums and products with the rounding error of each operation, for formulas that would otherwise lose digits. They work on a real
/// or on a pack of reals. If the compiler reordered or fused operations,
/// all of them would break, so the build forbids both.

#include "core/kernels/pack.h"

namespace argand {

namespace detail {
template <class X>
struct Lane {
  using type = X;
};
template <RealScalar R, int W>
struct Lane<Pack<R, W>> {
  using type = R;
};
}  // namespace detail

/// The real type behind a formula's number type X: R for R and for Pack<R>.
template <class X>
using LaneOf = typename detail::Lane<X>::type;

/// value + error, where error is the rounding error of value.
template <class X>
struct WithError {
  X value, error;
};

/// a·b = value + error exactly: by a fused multiply-add where there is one, otherwise by splitting each factor into two halves with
/// half as many bits (Dekker, Numer. Math. 18 (1971), 224). Exact unless a factor exceeds 1e34 (1e300 for double) or the product is
/// below 1e-31 (1e-290).
template <class X>
WithError<X> exact_product(X a, X b) {
  if constexpr (requires { requires X::fused; }) {
    const X value = a * b;
    return {value, multiply_add(a, b, -value)};
  }
  constexpr bool single = sizeof(LaneOf<X>) == 4;
  const X splitter(single ? 4097.0f : 134217729.0);  // 2^12 + 1, 2^27 + 1
  const X wide_a = splitter * a, wide_b = splitter * b;
  const X a1 = wide_a - (wide_a - a), a2 = a - a1, b1 = wide_b - (wide_b - b), b2 = b - b1;
  const X value = a * b;
  return {value, ((a1 * b1 - value) + a1 * b2 + a2 * b1) + a2 * b2};
}

/// a + b = value + error exactly (Knuth, The Art of Computer Programming 2, 4.2.2, theorem B).
template <class X>
WithError<X> exact_sum(X a, X b) {
  const X value = a + b, from_b = value - a;
  return {value, (a - (value - from_b)) + (b - from_b)};
}

/// A sum of products, accurate as if in twice the precision (Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26 (2005), 1955, algorithm
/// 5.3).
template <class X>
class CompensatedSum {
 public:
  void add(X term) {
    const WithError<X> total = exact_sum(sum_, term);
    sum_ = total.value;
    error_ += total.error;
  }
  void add_product(X a, X b) {
    const WithError<X> p = exact_product(a, b);
    add(p.value);
    error_ += p.error;
  }
  /// Adds a term that is small compared with the sum.
  void add_small(X term) { error_ += term; }
  X value() const { return sum_ + error_; }

 private:
  X sum_ = X(0), error_ = X(0);
};

}  // namespace argand
