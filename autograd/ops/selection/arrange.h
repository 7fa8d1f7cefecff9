#pragma once
/// Rearrangements and products composed of other ops, which supply their gradients. Real or complex; a product of one of each is
/// complex. Negative axes count from the end.

#include <vector>

#include "autograd/var.h"

namespace argand {

/// Stacks tensors of the same shape along a new axis. Throws when shapes differ, or when there is no tensor.
template <Scalar T>
Var<T> stack(const std::vector<Var<T>>& parts, int axis = 0);

/// Splits an axis into parts of `size`; the last is smaller when the axis does not divide evenly. Throws unless size > 0.
template <Scalar T>
std::vector<Var<T>> split(const Var<T>& x, std::int64_t size, int axis = 0);
/// Splits an axis into parts of the given sizes. Throws unless they add up to its size.
template <Scalar T>
std::vector<Var<T>> split(const Var<T>& x, const std::vector<std::int64_t>& sizes, int axis = 0);

/// x[i, i + offset] over two axes, which are removed; the diagonal becomes the last axis. Empty when it lies outside x.
template <Scalar T>
Var<T> diagonal(const Var<T>& x, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1);
/// The reverse: each row becomes the diagonal of a square matrix, zero elsewhere. [..., n] -> [..., m, m], m = n + |offset|.
template <Scalar T>
Var<T> diag_embed(const Var<T>& x, std::int64_t offset = 0);
/// Σ x[i, i] over the last two axes: [..., M, N] -> [...]. Throws below rank 2.
template <Scalar T>
Var<T> trace(const Var<T>& x);

/// a_i b_j for two vectors: [M], [N] -> [M, N]; nothing is conjugated. Throws for other ranks.
template <Scalar A, Scalar B>
Var<Promote<A, B>> outer(const Var<A>& a, const Var<B>& b);
/// The Kronecker product: each a_ij is replaced by a_ij b. a and b have the same rank, and their sizes multiply. Throws when the
/// ranks differ, or above rank 4.
template <Scalar A, Scalar B>
Var<Promote<A, B>> kron(const Var<A>& a, const Var<B>& b);

}  // namespace argand
