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

/// A text to go on with, and as the model reads it.
struct Prompt {
  std::string text;
  Ids tokens;  ///< [n]

  Prompt(std::string text, const Tokenizer& words) : text(std::move(text)), tokens(words.encode(this->text).ids) {}
  /// What is written after it.
  WrittenText continuation(const Tokenizer& words) const { return WrittenText(words, text.empty() || text.ends_with('\n')); }
};

/// `samples` texts of each prompt, which they begin with, and of `count` more tokens: sample s of prompt p is p · samples + s.
/// Those after prompts of as many tokens are written together, a token of each at a time, which reads the weights once for all.
/// `watch`: called after every one of these; null for nobody.
template <RealScalar R>
std::vector<std::string> written_texts(Model<R>& model, const Tokenizer& tokens, const std::vector<Prompt>& prompts,
                                       std::int64_t samples, std::int64_t count, const SamplingOptions& options,
                                       const ForwardContext& context = {}, const std::function<void()>& watch = nullptr);

}  // namespace argand
