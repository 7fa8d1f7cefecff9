#include "train/evaluation/generation_quality.h"

#include <optional>

#include "data/files/utf8.h"
#include "train/config/config_error.h"
#include "train/data/retriever.h"
#include "train/evaluation/evaluation.h"
#include "train/evaluation/text_metrics.h"
#include "train/generation/generation.h"

namespace argand {
namespace {

Ids columns(const Ids& texts, std::int64_t from, std::int64_t to) {
  const std::int64_t N = texts.shape()[1];
  Ids cut(Shape{texts.shape()[0], to - from});
  for (std::int64_t b = 0; b < texts.shape()[0]; ++b)
    for (std::int64_t t = from; t < to; ++t) cut[b * (to - from) + t - from] = texts[b * N + t];
  return cut;
}

/// The texts, with their continuations replaced by text from the model.
Ids write(const TrainedRun& run, const Ids& texts, const GenerationEvalOptions& options, const GenerationWatch& watch) {
  const std::int64_t N = texts.shape()[1];
  Ids written = texts;
  with_precision(run.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(run.checkpoint);
    const OpenRetriever retriever(run, *model);
    std::int64_t t = options.prompt_length;
    generate<R>(
        *model, columns(texts, 0, options.prompt_length), options.tokens, options.sampling,
        [&](std::span<const std::int32_t> next) {
          for (std::size_t b = 0; b < next.size(); ++b) {
            // A model may have more ids (vocab_size) than the run has tokens; the judge cannot read the excess ids.
            require(next[b] < run.tokens->size(), "eval", "the model generated id {}, which is not a token", next[b]);
            written[static_cast<std::int64_t>(b) * N + t] = next[b];
          }
          ++t;
          if (watch) watch(t - options.prompt_length);
        },
        retriever.context());
  });
  return written;
}

bool same_tokens(const TrainedRun& a, const TrainedRun& b) {
  return a.tokens->kind() == b.tokens->kind() && a.tokens->file() == b.tokens->file();
}

/// Throws ConfigError if the judge's tokens would split a text differently. Word vocabularies may differ: words are translated.
void require_compatible_judge(const TrainedRun& run, const TrainedRun& judge) {
  if (same_tokens(run, judge) || (run.tokens->kind() == "words" && judge.tokens->kind() == "words")) return;
  config_fail("judge", "its tokens ({} of kind {}) differ from the run's ({} of kind {})", judge.tokens->size(),
              judge.tokens->kind(), run.tokens->size(), run.tokens->kind());
}

/// Translates ids from the tokens of one run to those of another, which must pass require_compatible_judge(). Throws Error for a
/// word that `to` lacks if it has no `<unk>` either.
Ids translate(const Ids& ids, const TrainedRun& from, const TrainedRun& to) {
  if (same_tokens(from, to)) return ids;
  Ids translated(ids.shape());
  for (std::int64_t i = 0; i < ids.size(); ++i) translated[i] = to.words().id(from.words().word(ids[i]));
  return translated;
}

/// Mean negative log probability, in nats per token, of tokens [from, N) of the texts.
double judged(const TrainedRun& judge, const TrainedRun& run, const Ids& texts, std::int64_t from) {
  const Ids translated = translate(texts, run, judge);
  return with_precision(judge.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(judge.checkpoint);
    const OpenRetriever retriever(judge, *model);
    return negative_log_likelihood<R>(*model, translated, from, retriever.context());
  });
}

/// The number of bytes of text in the tokens [from, N).
std::int64_t bytes_written(const Tokenizer& tokens, const Ids& texts, std::int64_t from) {
  const std::int64_t N = texts.shape()[1];
  std::int64_t bytes = 0;
  for (std::int64_t b = 0; b < texts.shape()[0]; ++b) {
    WrittenText text(tokens);
    for (std::int64_t t = 0; t < N; ++t)
      if (const auto length = static_cast<std::int64_t>(text.next(texts[b * N + t]).size()); t >= from) bytes += length;
  }
  return bytes;
}

/// Text b as a string.
std::string in_words(const TrainedRun& run, const Ids& texts, std::int64_t b) {
  const std::int64_t N = texts.shape()[1];
  const bool words = run.tokens->kind() == "words";
  WrittenText written(*run.tokens);
  std::string text;
  for (std::int64_t t = 0; t < N; ++t)
    text += words ? (t > 0 ? " " : "") + run.words().word(texts[b * N + t]) : written.next(texts[b * N + t]);
  return valid_utf8(text);
}

}  // namespace

void GenerationEvalOptions::validate() const {
  sampling.validate();
  if (prompts < 1) config_fail("prompts", "must be at least 1, got {}", prompts);
  if (prompt_length < 1) config_fail("prompt_length", "must be at least one token, got {}", prompt_length);
  if (tokens < 4) config_fail("tokens", "Rep-4 requires at least 4 tokens, got {}", tokens);
}

Ids original_texts(const Ids& part, const GenerationEvalOptions& options) {
  const std::int64_t N = options.prompt_length + options.tokens, room = part.size() - N;
  require(room >= 0, "eval", "the part has {} tokens, fewer than a prompt of {} plus the {} after it", part.size(),
          options.prompt_length, options.tokens);
  Ids texts(Shape{options.prompts, N});
  for (std::int64_t b = 0; b < options.prompts; ++b)
    for (std::int64_t t = 0; t < N; ++t) texts[b * N + t] = part[b * room / std::max<std::int64_t>(1, options.prompts - 1) + t];
  return texts;
}

nlohmann::ordered_json eval_generation(const TrainedRun& run, const Ids& part, const GenerationEvalOptions& options,
                                       const GenerationWatch& watch) {
  options.validate();
  using Json = nlohmann::ordered_json;
  Json found = {{"token_kind", run.tokens->kind()},       {"prompts", options.prompts},
                {"prompt_length", options.prompt_length}, {"tokens", options.tokens},
                {"top_p", options.sampling.top_p},        {"temperature", options.sampling.temperature},
                {"seed", options.sampling.seed}};
  std::optional<TrainedRun> judge;
  if (!options.judge.empty()) require_compatible_judge(run, judge.emplace(open_run(options.judge)));
  const Ids original = original_texts(part, options), written = write(run, original, options, watch);
  const std::int64_t from = options.prompt_length, to = original.shape()[1];
  const auto judge_texts = [&](const char* key, const Ids& texts) {
    const Ids ends = columns(texts, from, to);
    Json& figures = found[key] = {{"dist_1", distinct(ends, 1)}, {"dist_2", distinct(ends, 2)}, {"rep_4", repetition(ends, 4)}};
    if (judge) {
      Evaluation all;
      all.loss = judged(*judge, run, texts, from);
      all.count = ends.size();
      all.bytes = bytes_written(*run.tokens, texts, from);
      figures["loss"] = all.loss;
      figures["bits_per_byte"] = all.bits_per_byte().value_or(0);
    }
  };
  judge_texts("model", written);
  judge_texts("corpus", original);
  if (judge) found["judge"] = judge->checkpoint.file().path();
  found["texts"] = Json::array();
  for (std::int64_t b = 0; b < options.prompts; ++b) found["texts"].push_back(in_words(run, written, b));
  return found;
}

}  // namespace argand
