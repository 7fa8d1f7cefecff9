#pragma once
/// Products by the names of their axes, and matrix products of one real and one complex factor.

#include <string>
#include <string_view>

#include "autograd/var.h"

namespace argand {

/// C = A B over the last two axes with one factor real: two real products' work instead of four. Leading axes as those of matmul.
template <RealScalar R>
Var<std::complex<R>> matmul(const Var<R>& A, const Var<std::complex<R>>& B);
template <RealScalar R>
Var<std::complex<R>> matmul(const Var<std::complex<R>>& A, const Var<R>& B);

/// Einstein's summation, as NumPy's and PyTorch's: einsum("bij,bjk->bik", A, B) is Σ_j A_bij B_bjk. A letter an axis; letters that
/// are not behind the arrow are summed over, a letter twice in one operand is its diagonal. Without an arrow the letters that occur
/// once are behind it, in the alphabet's order. "..." are all the axes that have no letter, none or several: aligned at the last
/// and stretched as broadcasting has it, summed over where an arrow leaves them out, in front of all where there is no arrow.
/// Nothing is conjugated: say conj(A). A product of two is one batched GEMM; of three and more, pairs from left to right. Real,
/// complex or mixed operands. Throws for an equation that is none, and `einsum: axis j is 3 in one operand and 4 in another`.
template <Scalar A>
Var<A> einsum(std::string_view equation, const Var<A>& a);
template <Scalar A, Scalar B>
Var<Promote<A, B>> einsum(std::string_view equation, const Var<A>& a, const Var<B>& b);

namespace detail {
/// "ij,jk,kl->il" as "ij,jk->ik" and "ik,kl->il": what the first two give has the letters that anything else has.
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
