#pragma once
/// Cross entropy after an output layer, x_n = W h_n + b, and its gradient, in one sweep over the vocabulary.

#include "core/tensor.h"

namespace argand {

/// The result of a sweep. Gradients are those of the mean loss; empty unless requested.
template <RealScalar R>
struct OutputLayerSweep {
  double loss = 0;       ///< mean over n of log Σ_v e^{x_nv} - x_n[target_n], in nats
  Tensor<R> dh, dW, db;  ///< in the shapes of h, W and b
};

/// h [N, D] (leading axes are flattened), W [V, D], b [V] or null, N targets in [0, V). At most `chunk` rows of exponentials are
/// held at a time. The result's bits depend on the shapes and on `chunk`, not on the number of threads.
template <RealScalar R>
OutputLayerSweep<R> sweep_output_layer(const Tensor<R>& h, const Tensor<R>& W, const Tensor<R>* b, const Ids& targets,
                                       bool gradients, std::int64_t chunk);

}  // namespace argand
