#pragma once
/// Text generation: takes prompts and produces tokens one by one.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/quantized.h"
#include "data/tokens/tokenizer.h"
#include "nn/model.h"
#include "train/generation/sampling.h"

namespace argand {

/// Turns a language model's tokens into text, one at a time.
class WrittenText {
 public:
  /// `line_start` says whether the text is at the start of a line.
  explicit WrittenText(const Tokenizer& tokens, bool line_start = false) : tokens_(tokens), line_start_(line_start) {}
  /// The token as text to append: a word is preceded by a space if necessary.
  std::string next(Tokenizer::Id id);

 private:
  const Tokenizer& tokens_;
  bool line_start_;
};

/// Cuts the text off at the first occurrence of any stop text.
class StopTextFilter {
 public:
  explicit StopTextFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {}
  /// Takes the next piece and returns the text that can be shown now: everything except a possible beginning of a stop text.
  std::string next(const std::string& piece);
  /// Returns the text that is still held back; call this at the end.
  std::string rest() { return std::exchange(held_, {}); }
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

/// While the result exists, products of the calling thread read the model's real matrices rounded to this format. Complex weights,
/// quaternions and vectors keep their precision. Throws Error if the model is of float64 and the format is not f32.
template <RealScalar R>
std::unique_ptr<QuantizedWeights> quantized(const Model<R>& model, WeightFormat format);

/// Receives the next token of each text in the batch, [B].
using WriteTokens = std::function<void(std::span<const std::int32_t>)>;

/// Draws `count` tokens after each of the prompts [B, N], N >= 1, and passes them to `write` one by one. When the model's maximum
/// sequence length is reached, drops the older half of the text and reads the rest again. Stops early if `enough` (may be null)
/// returns true after a token. Throws Error for empty prompts.
template <RealScalar R>
void generate(Model<R>& model, const Ids& prompts, std::int64_t count, const SamplingOptions& options, const WriteTokens& write,
              const ForwardContext& context = {}, const std::function<bool()>& enough = nullptr);

/// A prompt with its tokens.
struct Prompt {
  std::string text;
  Ids tokens;  ///< [n]

  Prompt(std::string text, const Tokenizer& words) : text(std::move(text)), tokens(words.encode(this->text).ids) {}
  /// Converts the tokens that continue the prompt to text.
  WrittenText continuation(const Tokenizer& words) const { return WrittenText(words, text.empty() || text.ends_with('\n')); }
};

/// How much to generate after each prompt.
struct WritingOptions {
  std::int64_t samples = 1, tokens = 50;  ///< texts per prompt, and the maximum number of tokens in each
  std::vector<std::string> stop{};        ///< a text ends before the first occurrence of any of these
  SamplingOptions sampling{};
};

struct Written {
  std::string text;         ///< the continuation
  std::int64_t tokens = 0;  ///< number of tokens drawn
  bool stopped = false;     ///< whether it ended at one of the `stop` texts
};

/// Sample s of prompt p has index p · samples + s. Prompts with the same number of tokens are continued as one batch, so that the
/// weights are read once for all of them. `watch` is called after each step of a batch; it may be null.
template <RealScalar R>
std::vector<Written> written_texts(Model<R>& model, const Tokenizer& tokens, const std::vector<Prompt>& prompts,
                                   const WritingOptions& options, const ForwardContext& context = {},
                                   const std::function<void()>& watch = nullptr);

}  // namespace argand
