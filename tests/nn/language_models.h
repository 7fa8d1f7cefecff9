#pragma once
/// Functions shared by the tests of every family's language models.

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"
#include "core/random.h"
#include "nn/model.h"

namespace argand {

/// Random ids from 1 to 12, for models with a vocabulary of 13.
inline Ids random_ids(const Shape& shape, std::uint64_t seed = 4) {
  Ids ids(shape);
  for (std::int64_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::int32_t>(1 + Random(seed).below(static_cast<std::uint64_t>(i), 12));
  return ids;
}

/// For tokens [B, T > 4]: the largest difference between the logits of whole sequences and of cached generation, which reads a
/// prompt of four tokens and then one token at a time.
inline double worst_difference_with_a_cache(Model<double>& model, const Ids& tokens, const ForwardContext& context = {}) {
  const std::int64_t B = tokens.shape()[0], T = tokens.shape()[1];
  const NoGrad none;
  const Tensor<double> all = model.logits(tokens, context).value();
  const auto cache = model.make_cache(B);
  double worst = 0;
  for (std::int64_t from = 0; from < T;) {
    const std::int64_t n = from == 0 ? 4 : 1;
    Ids next(Shape{B, n});
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t t = 0; t < n; ++t) next[b * n + t] = tokens[b * T + from + t];
    const Tensor<double> logits = model.next_logits(next, *cache, context);
    from += n;
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t v = 0; v < logits.shape()[1]; ++v) worst = std::max(worst, std::abs(logits(b, v) - all(b, from - 1, v)));
  }
  return worst;
}

/// For logits [B, T, V] and targets [B, T]: the mean of -log softmax(logits)[target], by definition.
inline double mean_cross_entropy(const Tensor<double>& logits, const Ids& targets) {
  const std::int64_t V = logits.shape()[2];
  double sum = 0;
  for (std::int64_t i = 0; i < targets.size(); ++i) {
    double total = 0;
    for (std::int64_t v = 0; v < V; ++v) total += std::exp(logits.data()[i * V + v]);
    sum += std::log(total) - logits.data()[i * V + targets[i]];
  }
  return sum / static_cast<double>(targets.size());
}

}  // namespace argand
