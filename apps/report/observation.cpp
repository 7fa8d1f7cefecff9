#include "apps/report/observation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "apps/report/history.h"
#include "apps/report/log.h"
#include "apps/terminal/option_names.h"
#include "autograd/tape.h"
#include "data/files/checksum.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "train/data/corpora.h"
#include "train/data/retriever.h"
#include "train/evaluation/classification.h"
#include "train/generation/generation.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<Vocabulary::Id>;

constexpr std::int64_t most_words = 40, sample_words = 60, prompt_words = 6, samples = 3;
constexpr std::size_t articles_shown = 8, article_words = 60;

Json none(const std::string& why) { return {{"none", why}}; }

/// The result of `make`, or an explanation for the page if it is unavailable.
template <class Make>
Json result_or_reason(const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    return none(in_options(error));
  }
}

/// The articles to show: those of the test set if there are any, else of the validation set.
const std::vector<Article>& shown_part(const ArticleSets& sets) { return sets.test.empty() ? sets.valid : sets.test; }

/// The text to show, as the model's token ids.
Words words_of(const TrainedRun& trained, const ObservationOptions& options, SharedData& data) {
  const RunConfig& config = trained.checkpoint.config();
  if (config.model.task == TextTask::Lm) {
    Ids ids;
    if (options.text.empty()) {
      const Corpus& corpus = data.corpus(trained);
      ids = Ids({std::min(corpus.valid.size(), most_words)},
                {corpus.valid.data(), corpus.valid.data() + std::min(corpus.valid.size(), most_words)});
    } else {
      ids = trained.tokens->encode(options.text).ids;
    }
    return {ids.span().begin(), ids.span().end()};
  }
  return classifier_ids(trained.words(), options.text.empty() ? shown_part(data.articles(trained)).at(0).text() : options.text);
}

Json in_words(const Tokenizer& tokens, std::span<const Vocabulary::Id> ids) {
  Json words = Json::array();
  for (const Vocabulary::Id id : ids) words.push_back(tokens.shown(id));
  return words;
}

/// Histograms of phases by head: [B, T, H, n] -> [H][phase_bins].
Json phase_counts(const AttentionWatch::Phasors& z) {
  Json heads = Json::array();
  const std::int64_t rows = z.dim(0) * z.dim(1), H = z.dim(2), n = z.dim(3);
  for (std::int64_t h = 0; h < H; ++h) {
    std::vector<std::int64_t> counts(phase_bins);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t j = 0; j < n; ++j) count_phase(z.data()[(row * H + h) * n + j], counts);
    heads.push_back(counts);
  }
  return heads;
}

/// Weights [1, T, H, T] as [H][T · T] thousandths.
Json thousandths(const Tensor<double>& weights) {
  Json heads = Json::array();
  const std::int64_t T = weights.dim(1), H = weights.dim(2);
  for (std::int64_t h = 0; h < H; ++h) {
    Json map = Json::array();
    for (std::int64_t m = 0; m < T; ++m)
      for (std::int64_t n = 0; n < T; ++n) map.push_back(std::llround(1000 * weights(0, m, h, n)));
    heads.push_back(std::move(map));
  }
  return heads;
}

/// The passages that one layer read at each position; adds the text of each passage to `passages` once. A position may read
/// nothing, and the layer may have no gate.
Json reading_of(const Ids& chosen, const Tensor<double>& weights, const Tensor<double>& gates, const Tokenizer& tokens,
                const KnowledgeBase& base, Json& passages) {
  Json window = {{"chosen", Json::array()}, {"weights", Json::array()}, {"gate", Json::array()}};
  const std::int64_t T = chosen.shape()[0], k = chosen.shape()[1], n = gates.dim(1), L = base.length();
  for (std::int64_t t = 0; t < T; ++t) {
    Json read = Json::array(), share = Json::array();
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t p = chosen[t * k + j];
      if (p < 0) continue;
      read.push_back(p);
      share.push_back(for_page(weights(t, j)));
      Json& passage = passages[std::to_string(p)];
      if (passage.is_null())
        passage = {{"start", base.start(p)}, {"text", tokens.shown({base.passages().data() + p * L, static_cast<std::size_t>(L)})}};
    }
    window["chosen"].push_back(std::move(read));
    window["weights"].push_back(std::move(share));
    if (n == 0) continue;
    double gate = 0;
    for (std::int64_t i = 0; i < n; ++i) gate += gates(t, i) / static_cast<double>(n);
    window["gate"].push_back(for_page(gate));
  }
  return window;
}

/// One observed forward pass over the tokens.
template <RealScalar R>
Json look(Model<R>& model, const TrainedRun& trained, const Words& words, const PassageStore* store) {
  Json page = {{"words", in_words(*trained.tokens, words)}, {"phases", Json::array()}, {"attention", Json::array()}};
  const AttentionWatch watch{.pairs =
                                 [&](const auto& q, const auto& k) {
                                   page["phases"].push_back({{"q", phase_counts(q)}, {"k", phase_counts(k)}});
                                 },
                             .weights = [&](const Tensor<double>& w) { page["attention"].push_back(thousandths(w)); }};
  ForwardContext pass{.watch = &watch};
  Knowledge watched;
  Json windows = Json::array(), passages = Json::object();
  if (store != nullptr) {
    watched = store->knowledge();
    watched.watch_reading = [&](const Ids& chosen, const Tensor<double>& beta, const Tensor<double>& gates) {
      windows.push_back(reading_of(chosen, beta, gates, *trained.tokens, store->base(), passages));
      windows.back()["layer"] = model.config().windows().layers.at(windows.size() - 1);
    };
    pass.knowledge = &watched;
  }
  const NoGrad nothing;
  model.logits(Ids({1, static_cast<std::int64_t>(words.size())}, words), pass);
  page["windows"] = std::move(windows);
  page["passages"] = std::move(passages);
  return page;
}

/// The gradient of the loss on these tokens, one entry per parameter: magnitudes, and phases if it is complex. The targets are the
/// next tokens or the article's class, or the class that the model predicts if the article has none.
template <RealScalar R>
Json gradients_of(Model<R>& model, const Words& words, std::optional<std::int32_t> label, const ForwardContext& context) {
  const auto T = static_cast<std::int64_t>(words.size());
  const bool lm = model.config().task == TextTask::Lm;
  require(!lm || T > 1, "report", "a single token has no next token to predict, so there is no gradient");
  const Ids tokens({1, T - lm}, Words(words.begin(), words.end() - lm));
  if (!lm && !label) {
    const NoGrad nothing;
    const Tensor<R> logits = model.logits(tokens, context).value();
    label = static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  }
  const Ids targets = lm ? Ids({1, T - 1}, Words(words.begin() + 1, words.end())) : Ids(Shape{1}, Words{*label});
  const ParameterList<R> parameters = model.parameters();
  Tape tape;
  const Loss<R> loss = model.loss(tokens, targets, context);
  tape.backward(loss.total);
  Json page = {{"loss", for_page(loss.total.value().item())}, {"parameters", Json::array()}};
  for (const Parameter<R>& p : parameters)
    std::visit(
        [&]<class V>(const Var<V>& x) {
          const Tensor<V> g = x.grad();
          double squares = 0, largest = 0;
          std::int64_t zeros = 0;
          std::vector<std::int64_t> phases(phase_bins);
          for (const V v : g) {
            const std::complex<double> z(v);
            squares += std::norm(z);
            largest = std::max(largest, std::abs(z));
            zeros += z == 0.0;
            if (ComplexScalar<V>) count_phase(z, phases);
          }
          Json line = {{"name", p.name},
                       {"size", g.size()},
                       {"rms", for_page(std::sqrt(squares / static_cast<double>(std::max<std::int64_t>(1, g.size()))))},
                       {"largest", for_page(largest)},
                       {"zeros", zeros}};
          if (ComplexScalar<V>) line["phases"] = phases;
          page["parameters"].push_back(std::move(line));
        },
        p.var);
  zero_grad(parameters);
  return page;
}

/// Several continuations of the first tokens, generated together.
template <RealScalar R>
Json samples_of(Model<R>& model, const TrainedRun& trained, const Words& words, const ForwardContext& context) {
  const auto N = std::min<std::int64_t>(prompt_words, static_cast<std::int64_t>(words.size()));
  Words prompts;
  for (std::int64_t i = 0; i < samples; ++i) prompts.insert(prompts.end(), words.begin(), words.begin() + N);
  std::vector<WrittenText> writers(samples, WrittenText(*trained.tokens, true));
  std::vector<std::string> prompt(samples), texts(samples);
  for (std::size_t i = 0; i < writers.size(); ++i)
    for (std::int64_t n = 0; n < N; ++n) prompt[i] += writers[i].next(words[static_cast<std::size_t>(n)]);
  const SamplingOptions options{.top_p = 0.9, .seed = 0};
  generate<R>(
      model, Ids({samples, N}, prompts), sample_words, options,
      [&](std::span<const std::int32_t> next) {
        for (std::size_t i = 0; i < next.size(); ++i) texts[i] += writers[i].next(next[i]);
      },
      context);
  Json page = Json::array();
  for (std::size_t i = 0; i < texts.size(); ++i)
    page.push_back({{"prompt", valid_utf8(prompt[i])}, {"text", valid_utf8(texts[i])}});
  return page;
}

/// The first articles of the test part, or without one of the validation part, with the probability of every class.
template <RealScalar R>
Json articles_of(Model<R>& model, const TrainedRun& trained, SharedData& data, const ForwardContext& context) {
  const ArticleSets& sets = data.articles(trained);
  require(sets.classes == trained.classes, "report", "the classes in {} do not match those of the run",
          trained.checkpoint.config().training.data);
  Json page = Json::array();
  for (const Article& article : first_articles(shown_part(sets), articles_shown)) {
    const std::string text = article.text();
    std::string beginning;
    std::size_t count = 0;
    std::string_view rest = text;
    for (std::string_view word = take_word(rest); !word.empty() && count < article_words; word = take_word(rest), ++count)
      beginning += (count == 0 ? "" : " ") + std::string(word);
    if (!rest.empty()) beginning += " ...";
    Json probabilities = Json::object();
    for (const Guess& guess : guesses<R>(model, classifier_ids(trained.words(), text), trained.classes, context))
      probabilities[guess.label] = for_page(guess.probability);
    page.push_back({{"text", beginning},
                    {"label", trained.classes.at(static_cast<std::size_t>(article.label))},
                    {"probabilities", std::move(probabilities)}});
  }
  return page;
}

}  // namespace

const Corpus& SharedData::corpus(const TrainedRun& trained) {
  const RunConfig& config = trained.checkpoint.config();
  const Tokenizer& tokens = *trained.tokens;
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}", config.training.data, config.training.split, tokens.kind(), checksum_of(tokens.file()));
  if (!corpora_.contains(key)) corpora_.emplace(key, open_corpus(config, trained.tokens));
  return corpora_.at(key);
}

const ArticleSets& SharedData::articles(const TrainedRun& trained) {
  const RunConfig& config = trained.checkpoint.config();
  const std::string key = config.to_json() + classes_text(trained.classes);
  if (!articles_.contains(key)) articles_.emplace(key, open_articles(config, trained.classes));
  return articles_.at(key);
}

nlohmann::ordered_json observe(const TrainedRun& trained, const ObservationOptions& options, SharedData& data) {
  const ModelConfig& config = trained.checkpoint.config().model;
  const bool lm = config.task == TextTask::Lm;
  Json page;
  with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    page["parameters"] = count_parameters(model->parameters());
    std::optional<OpenRetriever> retriever;
    Words words;
    page["text"] = result_or_reason([&]() -> Json {
      retriever.emplace(trained, *model);
      words = words_of(trained, options, data);
      require(!words.empty(), "report", "the text has no words");
      const auto maps = static_cast<double>(config.n_layers * config.n_heads);
      const auto room = static_cast<std::int64_t>(std::sqrt(static_cast<double>(options.most_weights) / maps));
      const auto length = static_cast<std::int64_t>(words.size());
      const std::int64_t kept = std::min({length, most_words, config.max_seq_len, std::max<std::int64_t>(8, room)});
      words.resize(static_cast<std::size_t>(kept));
      Json text = look<R>(*model, trained, words, retriever->store.get());
      text["cut"] = kept < length;
      text["from"] = !options.text.empty() ? "--text" : lm ? "the beginning of the validation text" : "the first article shown";
      return text;
    });
    const std::string gone = page["text"].value("none", "");
    page["gradients"] = !gone.empty() ? none(gone) : result_or_reason([&] {
      std::optional<std::int32_t> label;
      if (!lm && options.text.empty()) label = shown_part(data.articles(trained)).at(0).label;
      return gradients_of<R>(*model, words, label, retriever->context());
    });
    if (lm)
      page["samples"] =
          gone.empty() ? result_or_reason([&] { return samples_of<R>(*model, trained, words, retriever->context()); }) : none(gone);
    else
      page["articles"] =
          retriever ? result_or_reason([&] { return articles_of<R>(*model, trained, data, retriever->context()); }) : none(gone);
  });
  return page;
}

}  // namespace argand
