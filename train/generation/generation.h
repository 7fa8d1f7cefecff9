#pragma once
/// A model that writes: prompts in, tokens out, one by one.

#include <functional>
#include <string>

#include "data/tokens/tokenizer.h"
#include "nn/model.h"
#include "train/generation/sampling.h"

namespace argand {

/// What a language model wrote, token by token as it comes.
class WrittenText {
 public:
  /// `line_start`: the text begins a line, or goes on after one.
  explicit WrittenText(const Tokenizer& tokens, bool line_start = false) : tokens_(tokens), line_start_(line_start) {}
  /// The token as it is to be put after what was written before: a word with a space in front where one is due.
  std::string next(Tokenizer::Id id);

 private:
  const Tokenizer& tokens_;
  bool line_start_;
};

/// Called with what comes next in each text of the batch, [B].
using WriteTokens = std::function<void(std::span<const std::int32_t>)>;

/// Draws `count` tokens after each of the prompts [B, N], N >= 1, and hands them to `write` as they come. When the model's longest
/// sequence is full, it forgets the older half and reads the rest again. Throws Error for empty prompts.
template <RealScalar R>
void generate(Model<R>& model, const Ids& prompts, std::int64_t count, const SamplingOptions& options, const WriteTokens& write,
              const ForwardContext& context = {});

}  // namespace argand
