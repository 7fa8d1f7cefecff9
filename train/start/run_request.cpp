#include "train/start/run_request.h"

#include <algorithm>

#include "data/files/utf8.h"
#include "train/generation/generation.h"

namespace argand {

RunConfig resolve_with_init(Settings file, const Settings& given, const std::string& task) {
  Settings all = file;
  all.insert(all.end(), given.begin(), given.end());
  const std::string init = last_text(all, "init", "");
  if (init.empty()) return RunConfig::resolve(file, given, task);
  const Settings model = InitialWeights(init).model_settings();
  const std::string family = last_text(model, "family", ""), wanted = last_text(all, "family", family);
  if (!family.empty() && wanted != family) config_fail("init", "the model in {} is of the family {}, not {}", init, family, wanted);
  const bool asked = std::any_of(all.begin(), all.end(),
                                 [](const Setting& s) { return s.key == "tokens" || s.key == "words" || s.key == "vocab_size"; });
  file.insert(file.begin(), model.begin(), model.end());
  RunConfig config = RunConfig::resolve(file, given, task);
  config.tokens_of_init = !asked;
  return config;
}

NewRun open_new_run(RunConfig config) {
  std::optional<InitialWeights> weights;  // before with_absolute_paths(), so that messages contain the name as given
  if (!config.training.init.empty()) weights.emplace(config.training.init);
  for (std::string* path : {&config.training.data, &config.training.init, &config.knowledge.irw_file})
    *path = with_absolute_paths(*path);
  if (is_token_file(config.training.tokens)) config.training.tokens = with_absolute_paths(config.training.tokens);
  const TrainedRun* const before = weights && config.tokens_of_init ? weights->language_model() : nullptr;
  TrainingData data = before == nullptr || config.model.task != TextTask::Lm ? open_data(config) : open_data_like(config, *before);
  return {std::move(config), std::move(weights), std::move(data)};
}

Continuation continuation(const Settings& given) {
  Continuation found;
  for (const Setting& s : given) {
    if (s.key == "data")
      found.data = s.text;
    else
      found.changes.push_back(s);
  }
  return found;
}

TrainingData open_data(const TrainedRun& run, const Continuation& continuation) {
  RunConfig config = run.checkpoint.config();
  if (!continuation.data.empty()) config.training.data = continuation.data;
  // A classifier's vocabulary is rebuilt from the articles; a language model keeps the run's tokens.
  return config.model.task == TextTask::Lm ? open_data(config, run) : open_data(config);
}

template <RealScalar R>
std::optional<std::string> sample_of(TrainingRun<R>& run, const Corpus& corpus, const std::function<bool()>& stopped) {
  struct Stopped {};
  const TrainingConfig& t = run.config().training;
  const SamplingOptions options{.top_p = 0.9, .seed = static_cast<std::uint64_t>(t.seed + run.state().step)};
  const Ids prompt({1, 1}, {corpus.valid[0]});
  WrittenText text(*corpus.tokens, true);
  std::string sample = text.next(prompt[0]);
  const auto add = [&](std::span<const std::int32_t> next) {
    if (stopped && stopped()) throw Stopped();
    sample += text.next(next[0]);
  };
  try {
    run.look_up([&](const ForwardContext& context) { generate<R>(run.model(), prompt, t.sample_tokens, options, add, context); });
  } catch (const Stopped&) {
    return std::nullopt;
  }
  return valid_utf8(sample);  // the bytes may end in the middle of a character
}

#define ARGAND_SAMPLE_OF(R) \
  template std::optional<std::string> sample_of(TrainingRun<R>&, const Corpus&, const std::function<bool()>&);
ARGAND_FOR_REAL(ARGAND_SAMPLE_OF)

}  // namespace argand
