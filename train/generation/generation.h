#pragma once
/// A model that writes: prompts in, tokens out, one by one.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/tokens/tokenizer.h"
#include "nn/model.h"
#include "train/generation/sampling.h"

namespace argand {

/// The text that a language model generates, token by token.
class WrittenText {
 public:
  /// `line_start`: the text begins a line, or goes on after one.
  explicit WrittenText(const Tokenizer& tokens, bool line_start = false) : tokens_(tokens), line_start_(line_start) {}
  /// The token as text to append: a word with a space in front where one is due.
  std::string next(Tokenizer::Id id);

 private:
  const Tokenizer& tokens_;
  bool line_start_;
};

/// Passes a text on up to where the first of some texts begins in it.
class UntilStop {
 public:
  explicit UntilStop(std::vector<std::string> stops) : stops_(std::move(stops)) {}
  /// Takes the next text and returns what can be shown now: everything but a possible beginning of one of these texts.
  std::string next(const std::string& piece);
  /// The text held back, at the end.
  std::string rest() { return std::exchange(held_, {}); }
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

/// Called with what comes next in each text of the batch, [B].
using WriteTokens = std::function<void(std::span<const std::int32_t>)>;

/// Draws `count` tokens after each of the prompts [B, N], N >= 1, and hands them to `write` as they come. When the model's longest
/// sequence is full, it forgets the older half and reads the rest again. Where `enough` says yes after a token it ends there; null:
/// never. Throws Error for empty prompts.
template <RealScalar R>
void generate(Model<R>& model, const Ids& prompts, std::int64_t count, const SamplingOptions& options, const WriteTokens& write,
              const ForwardContext& context = {}, const std::function<bool()>& enough = nullptr);

/// A text to continue, as text and in tokens.
struct Prompt {
  std::string text;
  Ids tokens;  ///< [n]

  Prompt(std::string text, const Tokenizer& words) : text(std::move(text)), tokens(words.encode(this->text).ids) {}
  /// What is written after it.
  WrittenText continuation(const Tokenizer& words) const { return WrittenText(words, text.empty() || text.ends_with('\n')); }
};

/// How much to generate after each prompt.
struct WritingOptions {
  std::int64_t samples = 1, tokens = 50;  ///< this many texts, of this many tokens at most
  std::vector<std::string> stop{};        ///< a text ends before the first of these
  SamplingOptions sampling{};
};

struct Written {
  std::string text;         ///< after the prompt
  std::int64_t tokens = 0;  ///< that were drawn
  bool stopped = false;     ///< by a text of `stop`
};

/// Sample s of prompt p is p · samples + s. Those after prompts of as many tokens are written together, a token of each at a time,
/// which reads the weights once for all. `watch`: called after every one of these; null for none.
template <RealScalar R>
std::vector<Written> written_texts(Model<R>& model, const Tokenizer& tokens, const std::vector<Prompt>& prompts,
                                   const WritingOptions& options, const ForwardContext& context = {},
                                   const std::function<void()>& watch = nullptr);

}  // namespace argand
