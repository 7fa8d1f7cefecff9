#include "train/retrieval/dual_encoder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "autograd/tape.h"
#include "data/files/checksum.h"
#include "data/files/safetensors.h"
#include "data/files/utf8.h"
#include "data/knowledge/bm25.h"
#include "data/labelled_texts.h"
#include "data/random_order.h"
#include "optim/clip.h"

namespace argand {
namespace {

constexpr std::int64_t every_held_out = 20;
constexpr const char* memory_prefix = "optimizer.";

/// The vocabulary: `<pad>`, `<unk>`, and all words that occur at least twice.
Vocabulary frequent_search_words(const std::vector<Article>& articles) {
  Vocabulary all;
  std::vector<std::int64_t> counts;
  for (const Article& article : articles)
    for (const std::string* text : {&article.title, &article.description})
      for (const Vocabulary::Id id : search_words(*text, all)) {
        counts.resize(static_cast<std::size_t>(all.size()));
        ++counts[static_cast<std::size_t>(id)];
      }
  Vocabulary frequent(std::vector<std::string>{"<pad>", "<unk>"});
  for (std::size_t id = 0; id < counts.size(); ++id)
    if (counts[id] > 1) frequent.add(all.words()[id]);
  return frequent;
}

}  // namespace

Article with_title(const Article& article) {
  if (!article.title.empty() || article.description.empty()) return article;
  const std::string& text = article.description;
  std::size_t at = 0;
  for (std::int64_t word = 0; word < words_of_a_title && at < text.size(); ++word) {
    at = std::min(text.find_first_not_of(' ', at), text.size());
    at = std::min(text.find(' ', at), text.size());
  }
  return {article.label, text.substr(0, at), text.substr(std::min(text.find_first_not_of(' ', at), text.size()))};
}

std::string DualEncoderConfig::to_json() const {
  return nlohmann::ordered_json{{"seed", seed},   {"epochs", epochs},   {"layers", layers}, {"width", width},
                                {"batch", batch}, {"longest", longest}, {"lr", lr}}
      .dump();
}

DualEncoder::DualEncoder(const DualEncoderConfig& config, std::span<const Article> train) : config_(config) {
  std::vector<Article> learnt;
  for (std::int64_t n = 0; const Article& one : train) {
    const Article article = with_title(one);
    if (article.title.empty() || article.description.empty()) continue;
    (++n % every_held_out == 0 ? held_out_ : learnt).push_back(article);
  }
  require(static_cast<std::int64_t>(learnt.size()) >= config.batch, "dpr", "{} training articles do not fill a batch of {}",
          learnt.size(), config.batch);
  vocabulary_ = frequent_search_words(learnt);
  for (const Article& article : learnt) {
    titles_.push_back(known_words(article.title));
    descriptions_.push_back(known_words(article.description));
  }
  const TextEncoderOptions options{.vocab_size = vocabulary_.size(), .width = config.width, .n_layers = config.layers};
  for (auto* encoder : {&title_encoder_, &description_encoder_}) {
    Init init(static_cast<std::uint64_t>(config.seed));
    *encoder = std::make_unique<TextEncoder<float>>(init, options);
  }
  const Visit<float> visit(parameters_);
  visit("titles", *title_encoder_);
  visit("descriptions", *description_encoder_);
  optimizer_ = make_optimizer<float>(OptimizerConfig{}, parameters_);
  const std::int64_t steps = config.epochs * steps_per_epoch();
  schedule_ = {.peak = config.lr, .final = 0, .warmup = std::max<std::int64_t>(1, steps / 20), .total = steps};
}

std::int64_t DualEncoder::steps_per_epoch() const { return static_cast<std::int64_t>(titles_.size()) / config_.batch; }

std::vector<Vocabulary::Id> DualEncoder::known_words(const std::string& text) const {
  Vocabulary words;
  std::vector<Vocabulary::Id> ids;
  for (const Vocabulary::Id word : search_words(text, words)) {
    if (static_cast<std::int64_t>(ids.size()) == config_.longest) break;
    ids.push_back(vocabulary_.find(words.word(word)).value_or(unknown_id));
  }
  return ids;
}

Ids DualEncoder::ids_of(const std::vector<std::vector<Vocabulary::Id>>& texts) const {
  std::size_t longest = 1;
  for (const auto& text : texts) longest = std::max(longest, text.size());
  const auto T = static_cast<std::int64_t>(longest);
  Ids ids(Shape{static_cast<std::int64_t>(texts.size()), T});
  std::fill_n(ids.data(), ids.size(), pad_id);
  for (std::size_t b = 0; b < texts.size(); ++b)
    std::copy(texts[b].begin(), texts[b].end(), ids.data() + static_cast<std::int64_t>(b) * T);
  return ids;
}

double DualEncoder::train_epoch(const std::function<void(std::int64_t)>& progress) {
  const std::int64_t steps = steps_per_epoch();
  const Random order(static_cast<std::uint64_t>(config_.seed), static_cast<std::uint64_t>(epoch_));
  double sum = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<std::vector<Vocabulary::Id>> titles, descriptions;
    for (std::int64_t i = step * config_.batch; i < (step + 1) * config_.batch; ++i) {
      const auto pair = static_cast<std::size_t>(permuted(static_cast<std::uint64_t>(i), titles_.size(), order));
      titles.push_back(titles_[pair]);
      descriptions.push_back(descriptions_[pair]);
    }
    zero_grad(parameters_);
    const Var<float> loss = in_batch_loss((*title_encoder_)(ids_of(titles)), (*description_encoder_)(ids_of(descriptions)));
    sum += static_cast<double>(loss.value().item());
    backward(loss);
    optimizer_->step(schedule_(epoch_ * steps + step), clip_factor(grad_norm(parameters_), 1));
    if (progress) progress(epoch_ * steps + step + 1);
  }
  ++epoch_;
  return sum / static_cast<double>(steps);
}

Tensor<float> DualEncoder::encode(const TextEncoder<float>& encoder, std::vector<std::vector<Vocabulary::Id>> texts) const {
  const NoGrad none;
  const auto N = static_cast<std::int64_t>(texts.size()), D = config_.width;
  Tensor<float> vectors(Shape{N, D});
  for (std::int64_t n = 0; n < N; n += config_.batch) {
    const std::int64_t end = std::min(N, n + config_.batch);
    const Tensor<float> some = encoder(ids_of({texts.begin() + n, texts.begin() + end})).value();
    std::copy(some.begin(), some.end(), vectors.data() + n * D);
  }
  return vectors;
}

Tensor<float> DualEncoder::titles(std::span<const Article> articles) const {
  std::vector<std::vector<Vocabulary::Id>> texts;
  for (const Article& article : articles) texts.push_back(known_words(article.title));
  return encode(*title_encoder_, std::move(texts));
}

Tensor<float> DualEncoder::descriptions(std::span<const Article> articles) const {
  std::vector<std::vector<Vocabulary::Id>> texts;
  for (const Article& article : articles) texts.push_back(known_words(article.description));
  return encode(*description_encoder_, std::move(texts));
}

void DualEncoder::save(const std::string& path) const {
  SafetensorsWriter writer;
  for (const auto& p : parameters_) writer.add(p.name, std::get<Var<float>>(p.var).value());
  if (!finished()) {
    const OptimizerState<float> memory = optimizer_->state();
    for (const auto& entry : memory.tensors) writer.add(memory_prefix + entry.name, std::get<Tensor<float>>(entry.value));
  }
  writer.metadata("dpr", config_.to_json());
  writer.metadata("vocabulary", checksum_of(vocabulary_.text()));
  writer.metadata("epoch", std::to_string(epoch_));
  writer.save(path);
}

void DualEncoder::load(const std::string& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  require(file.metadata("dpr") == config_.to_json(), "dpr", "{} has different settings, {}; remove it, or choose another `out`",
          path, file.metadata("dpr"));
  require(file.metadata("vocabulary") == checksum_of(vocabulary_.text()), "dpr",
          "{} was trained on different articles; remove it, or choose another `out`", path);
  const std::string& epoch = file.metadata("epoch");
  require(!epoch.empty() && epoch.size() < 9 &&
              std::all_of(epoch.begin(), epoch.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
              std::stoll(epoch) <= config_.epochs,
          "dpr", "{}: epoch {} of {} is invalid", path, in_quotes(epoch), config_.epochs);
  for (auto& p : parameters_) file.load(p.name, std::get<Var<float>>(p.var).value());
  epoch_ = std::stoll(epoch);
  if (finished()) return;
  OptimizerState<float> memory = optimizer_->state();
  memory.steps = epoch_ * steps_per_epoch();
  for (auto& entry : memory.tensors) entry.value = file.tensor<float>(memory_prefix + entry.name);
  optimizer_->load_state(memory);
}

}  // namespace argand
