#pragma once
/// How sharply the heads of a model attend, and how evenly the phases of their queries and keys are spread.

#include "train/evaluation/evaluation.h"

namespace argand {

/// Means over those positions of the texts that see at least two keys.
struct HeadFigures {
  std::int64_t layer = 0, head = 0;
  /// -Σ w ln w of a position's weights, divided by ln(number of visible keys): 1 for equal weights, 0 for a single key
  double entropy = 0;
  double largest = 0;  ///< the largest attention weight of a position
  /// Mean resultant lengths of the phases of q and k: |mean over the positions of e^{iθ}|, averaged over the head's pairs. 0 if
  /// phases are spread evenly over the circle (about √(π/4N) for N random positions), 1 if all are equal. Empty for heads whose
  /// pairs have no meaning (nn/attention_watch.h).
  std::optional<double> phases_of_q{}, phases_of_k{};
};

/// One entry per head, in layer order. `context_of` may be null.
template <RealScalar R>
std::vector<HeadFigures> attention_figures(Model<R>& model, const EvaluationSet& set, const ContextOf& context_of = nullptr);

}  // namespace argand
