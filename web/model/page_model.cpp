#include "web/model/page_model.h"

#include <nlohmann/json.hpp>

#include "autograd/ops/elementwise/rotation.h"
#include "autograd/tape.h"
#include "core/machine/json.h"
#include "data/batches.h"
#include "data/corpora/grammar.h"
#include "data/files/checksum.h"
#include "data/tokens/word_tokens.h"
#include "nn/families/complexformer/config.h"
#include "optim/clip.h"
#include "train/checkpoints/checkpoint.h"
#include "train/generation/generation.h"

namespace argand {
namespace {

using nlohmann::json;

/// The built-in grammar and a million words drawn from it, the same as in `argand train lm`.
struct Source {
  Grammar grammar;
  Corpus corpus = grammar.corpus(1'000'000, 20'000, 20'000, 0);

  const Vocabulary& words() const { return grammar.vocabulary(); }
};

const Source& source() {
  static const Source one;
  return one;
}

RunConfig config_of(const json& given) {
  Settings settings;
  for (const auto& [key, text] : given.items()) settings.push_back({key, text.get<std::string>()});
  RunConfig config = RunConfig::resolve({}, settings);
  require(config.training.data == "grammar" && config.training.accumulate == 1 && config.training.precision == "float32", "page",
          "trains only on the built-in grammar, one batch per step, in float32");
  config.training.tokens = "words";
  config.model.vocab_size = source().words().size();
  config.validate();
  return config;
}

class Learner {
 public:
  explicit Learner(RunConfig config)
      : config_(std::move(config)),
        model_(make_model<float>(config_.model, seed())),
        parameters_(model_->parameters()),
        optimizer_(make_optimizer<float>(config_.optimizer, parameters_)),
        batches_(source().corpus.train, config_.training.batch, config_.training.length, seed()) {}

  static std::unique_ptr<Learner> open(const std::string& path) {
    const Checkpoint file(path);
    require(file.config().model.task == TextTask::Lm && file.config().model.vocab_size == source().words().size(), "page",
            "this is not a language model of the built-in grammar");
    auto learner = std::make_unique<Learner>(file.config());
    file.load(learner->parameters_);
    learner->step_ = file.state().step;
    return learner;
  }

  const RunConfig& config() const { return config_; }
  std::int64_t steps() const { return step_; }
  std::int64_t size() const { return count_parameters(parameters_); }
  Model<float>& model() { return *model_; }

  /// Takes one step as TrainingRun does; returns the loss before it, in nats per word.
  double step() {
    const LmBatch batch = batches_.at(static_cast<std::uint64_t>(step_));
    zero_grad(parameters_);
    const ForwardContext context{.training = true, .seed = seed(), .step = static_cast<std::uint64_t>(step_)};
    const Loss<float> loss = model_->loss(batch.tokens, batch.targets, context);
    backward(loss.total);
    const double norm = grad_norm(parameters_);
    require(std::isfinite(norm), "page", "the gradient became {} at step {}; a lower learning rate may help", norm, step_ + 1);
    optimizer_->step(config_.schedule()(step_++), clip_factor(norm, config_.training.clip));
    return loss.cross_entropy;
  }

  void save(const std::string& folder) const {
    RunState state{.step = step_};
    state.made_from.vocabulary = checksum_of(source().words().text());
    save_checkpoint<float>(folder + "/last.safetensors", config_, state, parameters_, nullptr);
    source().words().save(folder + "/vocab.txt");
  }

  /// A parameter of the layer's attention, [H, d_k/2]; null if the model has none with that name.
  float* attention_parameter(std::int64_t layer, const std::string& name) {
    for (auto& p : parameters_)
      if (p.name == fmt::format("blocks.{}.attn.{}", layer, name)) return std::get<Var<float>>(p.var).value().data();
    return nullptr;
  }

 private:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(config_.training.seed); }

  RunConfig config_;
  std::unique_ptr<Model<float>> model_;
  ParameterList<float> parameters_;
  std::unique_ptr<Optimizer<float>> optimizer_;
  LmBatches batches_;
  std::int64_t step_ = 0;
};

std::vector<std::unique_ptr<Learner>>& learners() {
  static std::vector<std::unique_ptr<Learner>> all;
  return all;
}

Learner& learner(const json& number) {
  const auto k = number.get<std::size_t>();
  require(k < learners().size(), "page", "no model {}", k);
  return *learners()[k];
}

/// Converts elements at x into nested arrays of this shape, complex numbers as [re, im]; advances x past them.
template <class T>
json nested(const T*& x, std::span<const std::int64_t> shape) {
  json all = json::array();
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    if (shape.size() > 1)
      all.push_back(nested(x, shape.subspan(1)));
    else if constexpr (ComplexScalar<T>)
      all.push_back({static_cast<float>(x->real()), static_cast<float>(x->imag())}), ++x;
    else
      all.push_back(static_cast<float>(*x++));
  }
  return all;
}

template <Scalar T>
json nested(const Tensor<T>& x) {
  const T* data = x.data();
  return nested(data, std::span<const std::int64_t>(x.shape().begin(), x.shape().end()));
}

/// The angles by which the pairs of a head are rotated per position.
json frequencies(const ModelConfig& model) {
  const std::int64_t n = model.d_model / model.n_heads / 2;
  const auto* own = dynamic_cast<const ComplexFormerConfig*>(&model.own<DecoderConfig>());
  const double doubled = own != nullptr && own->frequencies == FrequencyLaw::Paper ? 2 : 1;
  return nested(rotary_frequencies<double>(n, model.own<DecoderConfig>().rope_base, doubled / static_cast<double>(n)));
}

json described(const Learner& learner) {
  const ModelConfig& model = learner.config().model;
  return {{"model", learners().size() - 1},
          {"family", model.family().name},
          {"parameters", learner.size()},
          {"layers", model.n_layers},
          {"heads", model.n_heads},
          {"frequencies", frequencies(model)},
          {"steps", learner.config().training.steps},
          {"step", learner.steps()},
          {"entropy", source().grammar.entropy_per_token()}};
}

/// Adds angles to the phase biases of some heads; its destructor restores them.
class Turned {
 public:
  Turned(Learner& learner, const json& turns) : n_(learner.config().model.d_model / learner.config().model.n_heads / 2) {
    for (const json& turn : turns) {
      const auto layer = turn.at(0).get<std::int64_t>(), head = turn.at(1).get<std::int64_t>();
      float* const all = learner.attention_parameter(layer, "phase_bias");
      require(all != nullptr && head >= 0 && head < learner.config().model.n_heads, "page",
              "layer {} has no phase bias for head {}", layer, head);
      float* const b = all + head * n_;
      rows_.emplace_back(b, std::vector<float>(b, b + n_));
      for (std::int64_t j = 0; j < n_; ++j) b[j] += turn.at(2).get<float>();
    }
  }
  ~Turned() {
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) std::copy(row->second.begin(), row->second.end(), row->first);
  }
  Turned(const Turned&) = delete;
  Turned& operator=(const Turned&) = delete;

 private:
  std::int64_t n_;
  std::vector<std::pair<float*, std::vector<float>>> rows_;
};

/// Appends each finished sentence of a text with its grammatical error, "" if there is none.
void judge_sentences(const std::vector<std::int32_t>& text, json& sentences) {
  const Grammar& grammar = source().grammar;
  Judgement before;
  std::size_t first = 1;  // the text begins with <eos>
  for (std::size_t end = 2; end <= text.size(); ++end) {
    const Judgement now = grammar.judge(std::span(text).first(end));
    if (now.sentences == before.sentences) continue;
    const char* wrong = now.correct > before.correct                     ? ""
                        : now.syntax_errors > before.syntax_errors       ? "no such word there"
                        : now.number_errors > before.number_errors       ? "singular or plural"
                        : now.reference_errors > before.reference_errors ? "another person"
                                                                         : "another topic";
    std::string words;
    for (std::size_t k = first; k < end; ++k)
      if (const std::string& word = source().words().word(text[k]); word != "<eos>") words += (words.empty() ? "" : " ") + word;
    sentences.push_back({{"text", words}, {"wrong", wrong}});
    before = now, first = end;
  }
}

json written(const json& request) {
  Learner& writer = learner(request.at("write"));
  const Turned turned(writer, request.value("turn", json::array()));
  const auto texts = request.at("texts").get<std::int64_t>(), words = request.at("words").get<std::int64_t>();
  require(texts >= 1 && texts <= 256 && words >= 1 && words <= 1000, "page", "expected 1 to 256 texts of 1 to 1000 words each");
  const std::int32_t eos = source().words().id("<eos>");
  std::vector<std::vector<std::int32_t>> all(static_cast<std::size_t>(texts), {eos});
  const Ids prompts({texts, 1}, std::vector<std::int32_t>(static_cast<std::size_t>(texts), eos));
  generate<float>(writer.model(), prompts, words,
                  {.temperature = request.value("temperature", 1.0), .seed = request.value("seed", std::uint64_t{0})},
                  [&](std::span<const std::int32_t> next) {
                    for (std::size_t k = 0; k < all.size(); ++k) all[k].push_back(next[k]);
                  });
  json sentences = json::array();
  std::int64_t right = 0;
  for (const auto& text : all) judge_sentences(text, sentences);
  for (const json& sentence : sentences) right += sentence["wrong"] == "";
  return {{"sentences", sentences}, {"right", right}};
}

json watched(const json& request) {
  Learner& seen = learner(request.at("watch"));
  const Turned turned(seen, request.value("turn", json::array()));
  const auto text = request.at("text").get<std::string>();
  const Ids ids = source().words().encode(text);
  require(ids.size() > 0, "page", "the text has no words");
  json layers = json::array(), words = json::array();
  for (const auto id : ids.span()) words.push_back(source().words().word(id));
  AttentionWatch watch;
  watch.pairs = [&](const auto& q, const auto& k) { layers.push_back({{"q", nested(q)[0]}, {"k", nested(k)[0]}}); };
  watch.weights = [&](const Tensor<double>& weights) { layers.back()["weights"] = nested(weights)[0]; };
  const NoGrad none;
  const Var<float> logits = seen.model().logits(Ids({1, ids.size()}, {ids.span().begin(), ids.span().end()}), {.watch = &watch});
  const ModelConfig& model = seen.config().model;
  const std::int64_t n = model.d_model / model.n_heads / 2;
  for (std::size_t layer = 0; layer < layers.size(); ++layer)
    for (const auto& [key, name] : {std::pair{"delta", "delta"}, {"bias", "phase_bias"}})
      if (const float* x = seen.attention_parameter(static_cast<std::int64_t>(layer), name))
        layers[layer][key] = nested(x, std::array{model.n_heads, n});
  // The most probable next words.
  const std::int64_t V = logits.shape().back();
  const float* last = logits.value().data() + (ids.size() - 1) * V;
  double sum = 0;
  const float top = *std::max_element(last, last + V);
  for (std::int64_t v = 0; v < V; ++v) sum += std::exp(static_cast<double>(last[v] - top));
  std::vector<std::int32_t> order(static_cast<std::size_t>(V));
  for (std::int64_t v = 0; v < V; ++v) order[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(v);
  std::partial_sort(order.begin(), order.begin() + 6, order.end(), [&](auto a, auto b) { return last[a] > last[b]; });
  json next = json::array();
  for (std::size_t k = 0; k < 6; ++k)
    next.push_back({source().words().word(order[k]), std::exp(static_cast<double>(last[order[k]] - top)) / sum});
  return {{"words", words}, {"layers", layers}, {"next", next}};
}

json reply_to(const json& request) {
  if (request.contains("begin") || request.contains("open")) {
    learners().push_back(request.contains("begin") ? std::make_unique<Learner>(config_of(request["begin"]))
                                                   : Learner::open(request["open"].get<std::string>()));
    return described(*learners().back());
  }
  if (request.contains("step")) {
    Learner& one = learner(request["step"]);
    json losses = json::array();
    for (auto left = request.value("count", std::int64_t{1}); left > 0 && one.steps() < one.config().training.steps; --left)
      losses.push_back(one.step());
    return {{"losses", losses}, {"step", one.steps()}};
  }
  if (request.contains("write")) return written(request);
  if (request.contains("watch")) return watched(request);
  if (request.contains("save")) {
    learner(request["save"]).save(request.at("folder").get<std::string>());
    return json::object();
  }
  if (request.contains("forget")) {
    learners().clear();
    return json::object();
  }
  fail("page", "unknown request");
}

}  // namespace

std::string page_model(const std::string& request) {
  try {
    return reply_to(parse_json<json>("page", request)).dump(-1, ' ', false, json::error_handler_t::replace);
  } catch (const std::exception& error) {
    return json{{"error", error.what()}}.dump(-1, ' ', false, json::error_handler_t::replace);
  }
}

}  // namespace argand
