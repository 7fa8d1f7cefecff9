#pragma once
/// Rearrangements and products that are made of other ops: each is a few of them, whose gradients are theirs. Real or complex, a
/// product of one of each is complex. Negative axes count from the end.

#include <vector>

#include "autograd/var.h"

namespace argand {

/// Joins tensors of one shape along a new axis. Throws when shapes differ, or when there is no tensor.
template <Scalar T>
Var<T> stack(const std::vector<Var<T>>& parts, int axis = 0);

/// Parts of `size` along an axis; the last is smaller when they do not go in evenly. Throws unless size > 0.
template <Scalar T>
std::vector<Var<T>> split(const Var<T>& x, std::int64_t size, int axis = 0);
/// Parts of these sizes. Throws unless they add up to the axis.
template <Scalar T>
std::vector<Var<T>> split(const Var<T>& x, const std::vector<std::int64_t>& sizes, int axis = 0);

/// x[i, i + offset] over two axes, which go; the diagonal comes as the last axis. Empty when it lies outside.
template <Scalar T>
Var<T> diagonal(const Var<T>& x, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1);
/// The other way round: a square matrix for every last axis, zero beside that diagonal. [..., n] -> [..., m, m], m = n + |offset|.
template <Scalar T>
Var<T> diag_embed(const Var<T>& x, std::int64_t offset = 0);
/// Σ x[i, i] over the last two axes: [..., M, N] -> [...]. Throws below rank 2.
template <Scalar T>
Var<T> trace(const Var<T>& x);

/// a_i b_j of two vectors: [M], [N] -> [M, N]; nothing is conjugated. Throws for other ranks.
template <Scalar A, Scalar B>
Var<Promote<A, B>> outer(const Var<A>& a, const Var<B>& b);
/// The Kronecker product, a_ij times all of b in the place of a_ij, for any one rank; sizes multiply. Throws when ranks differ, or
/// above rank 4.
template <Scalar A, Scalar B>
Var<Promote<A, B>> kron(const Var<A>& a, const Var<B>& b);

}  // namespace argand
