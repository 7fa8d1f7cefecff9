#pragma once
/// The linear layer over QIC numbers, and its J-free part as a real product. The numbers are defined in core/qic_algebra.h.

#include "autograd/var.h"

namespace argand {

/// y = W x + b in the algebra of θ: with x = x_a + x_b J, etc.,
///
///     y_a = W_a x_a + κ W_b x_b + b_a,   y_b = W_a x_b + W_b x_a + b_b,   κ = -1 + sin 2θ.
///
/// x [..., in], W [out, in], b [out] as pairs (a, b) in complex tensors; θ real [H], where the rows of W form H equal groups in
/// order, each with its own angle (a head), or [1] for all rows. Takes three real products, by Gauss's trick.
/// Throws `qic_linear: ...` for mismatched shapes.
template <RealScalar R>
Var<std::complex<R>> qic_linear(const Var<std::complex<R>>& x, const Var<std::complex<R>>& W, const Var<std::complex<R>>& b,
                                const Var<R>& theta);
template <RealScalar R>
Var<std::complex<R>> qic_linear(const Var<std::complex<R>>& x, const Var<std::complex<R>>& W, const Var<R>& theta);

/// (a, b) -> (a, κ b), θ [1]. The J-free part of W x, W_a x_a + κ W_b x_b, is the real dot product of W's pairs with the pairs
/// (x_a, κ x_b).
template <RealScalar R>
Var<std::complex<R>> qic_dual(const Var<std::complex<R>>& x, const Var<R>& theta);

}  // namespace argand
