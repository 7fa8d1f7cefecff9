#pragma once
/// The loss of a language model as a function of the number of preceding tokens.

#include <functional>
#include <memory>
#include <vector>

#include "train/checkpoints/checkpoint.h"
#include "train/evaluation/evaluation.h"

namespace argand {

/// Covers all tokens that have `first` to `last` preceding tokens in their window.
struct PositionLoss {
  std::int64_t first = 1, last = 1;
  Evaluation evaluation;
};

/// The positions 1-16, 17-32, 33-64, ... of a window, up to `length`: starting with the third, each is twice as long as the one
/// before.
std::vector<PositionLoss> spans_of_positions(std::int64_t length);

/// Splits the text [N] into adjacent, independent windows of `length` tokens; drops an incomplete window, and does not score a
/// window's first token, which has no context. `context_of` may be null. `watch` receives the fraction of the work done. Throws
/// Error for a text shorter than one window plus the next token.
template <RealScalar R>
std::vector<PositionLoss> loss_by_position(Model<R>& model, const Ids& text, std::int64_t length,
                                           const ContextOf& context_of = nullptr,
                                           const std::function<void(double)>& watch = nullptr);

/// Whether models with this configuration have no position parameters and thus accept sequences of any length.
bool reads_any_length(const ModelConfig& config);

/// Loads a checkpoint's model for sequences of `longest` tokens, even beyond max_seq_len. Throws Error unless reads_any_length().
template <RealScalar R>
std::unique_ptr<Model<R>> load_longer_model(const Checkpoint& checkpoint, std::int64_t longest);

}  // namespace argand
