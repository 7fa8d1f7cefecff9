#pragma once
/// Cross entropy from logits, and fused with the output layer so that the logits of a large vocabulary never exist as a whole.

#include <optional>

#include "autograd/var.h"

namespace argand {

struct CrossEntropyOptions {
  /// Rows with this target, any number, count nothing: neither in the sum nor among those that it is divided by.
  std::optional<std::int64_t> ignore_index = {};
  /// ε in [0, 1]: the target gets 1 - ε of the probability asked for, and every class, the target too, ε/V.
  double label_smoothing = 0;
};

/// Mean over n of -log softmax(logits_n)[target_n], in nats; logits [..., V], targets of the leading shape. 0 where every row is
/// ignored. Throws when targets have another shape, even one of as many elements, when one is neither ignored nor in [0, V), or for
/// another label_smoothing.
template <RealScalar R>
Var<R> cross_entropy(const Var<R>& logits, const Ids& targets, const CrossEntropyOptions& options = {});

/// cross_entropy(linear(h, W, b), targets) in one op: h [..., D], W [V, D], b [V] or null, targets [...]. At most `chunk` rows of
/// logits are held at a time. When gradients are wanted they are computed in the same pass, while the chunk's logits are at hand.
template <RealScalar R>
Var<R> linear_cross_entropy(const Var<R>& h, const Var<R>& W, const Var<R>* b, const Ids& targets, std::int64_t chunk = 132);

}  // namespace argand
