#pragma once
/// The loss of a language model by the number of preceding tokens.

#include <functional>
#include <memory>
#include <vector>

#include "train/checkpoints/checkpoint.h"
#include "train/evaluation/evaluation.h"

namespace argand {

/// Of all windows the tokens that have from `first` to `last` tokens of their window before them.
struct PositionLoss {
  std::int64_t first = 1, last = 1;
  Evaluation evaluation;
};

/// The places 1-16, 17-32, 33-64, ... of a window, up to `length`: each span but the first two is twice as long as the one before.
std::vector<PositionLoss> spans_of_positions(std::int64_t length);

/// The text [N] is read in windows of `length` tokens side by side, each on its own; what does not fill one is left out, and the
/// first token of a window, which nothing precedes, is not scored. `context_of`: null for none. `watch`: which share of the work is
/// done. Throws Error for a text shorter than one window and the token after it.
template <RealScalar R>
std::vector<PositionLoss> loss_by_position(Model<R>& model, const Ids& text, std::int64_t length,
                                           const ContextOf& context_of = nullptr,
                                           const std::function<void(double)>& watch = nullptr);

/// Whether models of this configuration have no parameters of places, and so read sequences of any length.
bool reads_any_length(const ModelConfig& config);

/// A checkpoint's model that reads sequences of `longest` tokens, also when that is more than its max_seq_len. Throws Error where
/// reads_any_length() says no.
template <RealScalar R>
std::unique_ptr<Model<R>> load_longer_model(const Checkpoint& checkpoint, std::int64_t longest);

}  // namespace argand
