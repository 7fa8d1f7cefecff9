#pragma once
/// Products specified by axis labels, and matrix products of one real and one complex factor.

#include <string>
#include <string_view>

#include "autograd/var.h"

namespace argand {

/// C = A B over the last two axes with one real factor: takes two real products instead of four. Leading axes as in matmul.
template <RealScalar R>
Var<std::complex<R>> matmul(const Var<R>& A, const Var<std::complex<R>>& B);
template <RealScalar R>
Var<std::complex<R>> matmul(const Var<std::complex<R>>& A, const Var<R>& B);

/// Einstein summation, as in NumPy and PyTorch: einsum("bij,bjk->bik", A, B) is Σ_j A_bij B_bjk. Each letter names an axis; letters
/// missing after the arrow are summed over, and a letter repeated within one operand takes its diagonal. Without an arrow, the
/// result has the letters that occur once, in alphabetical order. "..." covers all axes without a letter, zero or more: they are
/// aligned at the last axis, broadcast, summed over if the arrow omits them, and placed first when there is no arrow. Nothing is
/// conjugated: write conj(A). Two operands need one batched GEMM; more are contracted in pairs from left to right. Real, complex or
/// mixed operands. Throws for a malformed equation, and `einsum: axis j has size 3 in one operand and 4 in another`.
template <Scalar A>
Var<A> einsum(std::string_view equation, const Var<A>& a);
template <Scalar A, Scalar B>
Var<Promote<A, B>> einsum(std::string_view equation, const Var<A>& a, const Var<B>& b);

namespace detail {
/// Splits "ij,jk,kl->il" into "ij,jk->ik" and "ik,kl->il": the first product keeps the letters that any later part uses.
struct EinsumPair {
  std::string first, rest;
};
EinsumPair first_pair_of(std::string_view equation, std::size_t operands);
}  // namespace detail

template <Scalar A, Scalar B, Scalar C, Scalar... Rest>
auto einsum(std::string_view equation, const Var<A>& a, const Var<B>& b, const Var<C>& c, const Var<Rest>&... rest) {
  const auto pair = detail::first_pair_of(equation, 3 + sizeof...(Rest));
  return einsum(pair.rest, einsum(pair.first, a, b), c, rest...);
}

}  // namespace argand
