#include "apps/training/task.h"

#include <algorithm>

#include "apps/terminal/command_line.h"
#include "data/batches.h"
#include "data/files/checksum.h"
#include "data/text_batches.h"

namespace argand {
namespace {

Batch as_batch(LmBatch windows) {
  const std::int64_t n = windows.tokens.size();
  return {std::move(windows.tokens), std::move(windows.targets), std::move(windows.starts), n};
}

Batch as_batch(TextBatch texts) {
  const auto padding = std::count(texts.tokens.span().begin(), texts.tokens.span().end(), pad_id);
  const std::int64_t n = texts.tokens.size() - padding;
  return {std::move(texts.tokens), std::move(texts.labels), std::move(texts.texts), n};
}

/// Windows of a text, and what follows each token.
class LanguageTask final : public Task {
 public:
  LanguageTask(const RunConfig& config, const Corpus& corpus)
      : batch_(config.training.batch),
        windows_(corpus.train, config.training.batch, config.training.length, static_cast<std::uint64_t>(config.training.seed)),
        validation_(evaluation_set(
            corpus.valid,
            {.name = config.training.eval_protocol, .batch = config.training.batch, .length = config.training.length})) {}

  Batch batch(std::uint64_t i) const override { return as_batch(windows_.at(i)); }
  std::int64_t batches_per_epoch() const override { return (windows_.windows_per_epoch() + batch_ - 1) / batch_; }
  const EvaluationSet& validation() const override { return validation_; }

 private:
  std::int64_t batch_;
  LmBatches windows_;
  EvaluationSet validation_;
};

/// Articles and their labels.
class ClassificationTask final : public Task {
 public:
  ClassificationTask(const RunConfig& config, const LabelledCorpus& corpus)
      : articles_(corpus.train, config.training.batch, config.model.max_seq_len, static_cast<std::uint64_t>(config.training.seed)),
        validation_(evaluation_set(corpus.test, config.training.batch, config.model.max_seq_len)) {}

  Batch batch(std::uint64_t i) const override { return as_batch(articles_.at(i)); }
  std::int64_t batches_per_epoch() const override { return articles_.batches_per_epoch(); }
  const EvaluationSet& validation() const override { return validation_; }

 private:
  TextBatches articles_;
  EvaluationSet validation_;
};

}  // namespace

const Vocabulary& vocabulary_of(const TrainingData& data) {
  return std::visit([](const auto& d) -> const Vocabulary& { return d.vocabulary; }, data);
}

std::string fingerprint_of(const TrainingData& data) {
  Checksum sum;
  // The length first, so that a word cannot move from one text to the next unnoticed.
  const auto add = [&](std::span<const Vocabulary::Id> ids) {
    const auto length = static_cast<std::int64_t>(ids.size());
    sum.add({reinterpret_cast<const char*>(&length), sizeof length});
    sum.add({reinterpret_cast<const char*>(ids.data()), ids.size_bytes()});
  };
  if (const auto* corpus = std::get_if<Corpus>(&data)) {
    for (const Ids* part : {&corpus->train, &corpus->valid}) add(part->span());
    return sum.hex();
  }
  const auto& articles = std::get<LabelledCorpus>(data);
  for (const LabelledTexts* part : {&articles.train, &articles.test}) {
    std::vector<Vocabulary::Id> labels;
    for (std::int64_t i = 0; i < part->size(); ++i) {
      add(part->text(i));
      labels.push_back(part->label(i));
    }
    add(labels);
  }
  return sum.hex();
}

std::vector<std::string> classes_of(const TrainingData& data) {
  const auto* articles = std::get_if<LabelledCorpus>(&data);
  return articles == nullptr ? std::vector<std::string>() : articles->classes;
}

namespace {

/// Of EvaluationWindows, EvaluationBatches or EvaluationTexts.
template <class Batches>
EvaluationSet set_of(Batches all) {
  const auto batches = std::make_shared<Batches>(std::move(all));
  return {batches->size(), [batches](std::int64_t i) { return as_batch((*batches)[i]); }};
}

}  // namespace

EvaluationSet evaluation_set(const Ids& text, const TextProtocol& protocol) {
  const auto& [name, B, T, stride] = protocol;
  if (name == "full-blocks") {
    if (stride) usage_fail("--stride", "the windows of full-blocks do not overlap; --protocol every-token has strides");
    return set_of(EvaluationBatches(text, B, T));
  }
  require(name == "every-token", "evaluation", "there is no protocol {}", name);
  const std::int64_t S = stride.value_or(T);
  if (S < 1 || S > T) usage_fail("--stride", "must be in [1, {}], the length of a window, got {}", T, S);
  return set_of(EvaluationWindows(text, B, T, S));
}

EvaluationSet evaluation_set(const LabelledTexts& texts, std::int64_t B, std::int64_t longest) {
  return set_of(EvaluationTexts(texts, B, longest));
}

std::unique_ptr<Task> make_task(const RunConfig& config, const TrainingData& data) {
  if (const auto* corpus = std::get_if<Corpus>(&data)) return std::make_unique<LanguageTask>(config, *corpus);
  return std::make_unique<ClassificationTask>(config, std::get<LabelledCorpus>(data));
}

std::int64_t steps_per_epoch(const RunConfig& config, const Task& task) {
  return std::max<std::int64_t>(1, task.batches_per_epoch() / config.training.accumulate);
}

RunConfig fitted(RunConfig config, const TrainingData& data, const Task& task) {
  const std::int64_t words = vocabulary_of(data).size();
  if (config.model.vocab_size == 0) config.model.vocab_size = words;
  if (config.model.vocab_size < words)
    usage_fail("--vocab-size", "{} ids are too few for the corpus's {} words; 0 takes as many as there are",
               config.model.vocab_size, words);
  const auto labels = static_cast<std::int64_t>(classes_of(data).size());
  if (labels > 0 && labels != config.model.n_classes)
    usage_fail("--n-classes", "the data have {} classes, the model {}", labels, config.model.n_classes);
  if (config.training.epochs > 0) config.training.steps = config.training.epochs * steps_per_epoch(config, task);
  config.validate();
  return config;
}

}  // namespace argand
