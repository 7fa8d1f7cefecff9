#pragma once
/// A classifier's labels for a text.

#include <string>
#include <vector>

#include "data/vocabulary.h"
#include "nn/model.h"

namespace argand {

struct Guess {
  std::string label;
  double probability;
};

/// All labels with their probabilities, most probable first: softmax(logits) of the text's first max_seq_len words.
template <RealScalar R>
std::vector<Guess> guesses(Model<R>& model, std::vector<Vocabulary::Id> words, const std::vector<std::string>& classes,
                           const ForwardContext& context);

}  // namespace argand
