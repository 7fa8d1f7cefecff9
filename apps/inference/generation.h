#pragma once
/// A model that writes: prompts in, tokens out, one by one.

#include <functional>
#include <string>

#include "apps/inference/sampling.h"
#include "data/vocabulary.h"
#include "nn/model.h"

namespace argand {

/// What a language model wrote, word by word as it comes.
class WrittenText {
 public:
  explicit WrittenText(const Vocabulary& words) : words_(words) {}
  /// The word as it is to be put after what was written before: with a space in front where one is due; <eos> ends the line. A
  /// model may have more ids than the vocabulary has words (--vocab-size).
  std::string next(Vocabulary::Id id);

 private:
  const Vocabulary& words_;
  bool line_start_ = false;
};

/// Called with what comes next in each text of the batch, [B].
using WriteTokens = std::function<void(std::span<const std::int32_t>)>;

/// Draws `count` tokens after each of the prompts [B, N], N >= 1, and hands them to `write` as they come. When the model's longest
/// sequence is full, it forgets the older half and reads the rest again. Throws Error for empty prompts.
template <RealScalar R>
void generate(Model<R>& model, const Ids& prompts, std::int64_t count, const SamplingOptions& options, const WriteTokens& write,
              const ForwardContext& context = {});

}  // namespace argand
