#pragma once
/// Cross entropy from logits, also fused with the output layer: then a large vocabulary's logits are never all in memory at once.

#include <optional>

#include "autograd/var.h"

namespace argand {

struct CrossEntropyOptions {
  /// Rows with this target (any integer) are ignored, both in the sum and in the number of rows by which it is divided.
  std::optional<std::int64_t> ignore_index = {};
  /// ε in [0, 1]: the target distribution gives 1 - ε to the target class and ε/V to every class, the target included.
  double label_smoothing = 0;
};

/// Mean over n of -log softmax(logits_n)[target_n], in nats; logits [..., V], targets of the leading shape. 0 when every row is
/// ignored. Throws when targets have a different shape, even one with the same number of elements, when a target is neither ignored
/// nor in [0, V), or when label_smoothing is outside [0, 1].
template <RealScalar R>
Var<R> cross_entropy(const Var<R>& logits, const Ids& targets, const CrossEntropyOptions& options = {});

/// cross_entropy(linear(h, W, b), targets) in one op: h [..., D], W [V, D], b [V] or null, targets [...]. At most `chunk` rows of
/// logits are held at a time. Gradients, when needed, are computed in the same pass, chunk by chunk.
template <RealScalar R>
Var<R> linear_cross_entropy(const Var<R>& h, const Var<R>& W, const Var<R>* b, const Ids& targets, std::int64_t chunk = 264);

}  // namespace argand
