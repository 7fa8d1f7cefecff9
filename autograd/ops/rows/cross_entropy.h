#pragma once
/// Cross entropy from logits, and fused with the output layer so that the logits of a large vocabulary never exist as a whole.

#include "autograd/var.h"

namespace argand {

/// Mean over n of -log softmax(logits_n)[target_n], in nats; logits [..., V], targets of the leading shape.
/// Throws when targets have another shape, even one of as many elements, or when one is not in [0, V).
template <RealScalar R>
Var<R> cross_entropy(const Var<R>& logits, const Ids& targets);

/// cross_entropy(linear(h, W, b), targets) in one op: h [..., D], W [V, D], b [V] or null, targets [...]. At most `chunk` rows of
/// logits are held at a time. When gradients are wanted they are computed in the same pass, while the chunk's logits are at hand.
template <RealScalar R>
Var<R> linear_cross_entropy(const Var<R>& h, const Var<R>& W, const Var<R>* b, const Ids& targets, std::int64_t chunk = 132);

}  // namespace argand
