#include "train/data/task.h"

#include <algorithm>
#include <numeric>

#include "data/batches.h"
#include "data/files/checksum.h"
#include "data/text_batches.h"
#include "train/config/config_error.h"

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

/// Windows of a text; the targets are the next tokens.
Task task_of(const RunConfig& config, const Corpus& corpus) {
  const std::int64_t B = config.training.batch, T = config.training.length;
  const auto windows = std::make_shared<LmBatches>(corpus.train, B, T, static_cast<std::uint64_t>(config.training.seed));
  return {[windows](std::uint64_t i) { return as_batch(windows->at(i)); }, (windows->windows_per_epoch() + B - 1) / B,
          evaluation_set(corpus.valid, {.name = config.training.eval_protocol, .batch = B, .length = T}, corpus.bytes.valid,
                         corpus.unknown.valid)};
}

/// Articles and their labels.
Task task_of(const RunConfig& config, const LabelledCorpus& corpus) {
  const std::int64_t B = config.training.batch, longest = config.model.max_seq_len;
  const auto articles = std::make_shared<TextBatches>(corpus.train, B, longest, static_cast<std::uint64_t>(config.training.seed));
  return {[articles](std::uint64_t i) { return as_batch(articles->at(i)); }, articles->batches_per_epoch(),
          evaluation_set(corpus.valid.size() > 0 ? corpus.valid : corpus.test, B, longest)};
}

}  // namespace

const Tokenizer& tokens_of(const TrainingData& data) {
  return std::visit([](const auto& d) -> const Tokenizer& { return *d.tokens; }, data);
}

const char* validated_part(const TrainingData& data) {
  const auto* articles = std::get_if<LabelledCorpus>(&data);
  return articles != nullptr && articles->valid.size() == 0 ? "test" : "validation";
}

BitsPerByte bits_per_byte(const Corpus& corpus) {
  const std::vector<std::uint32_t>& bytes = corpus.bytes.train;
  const std::vector<bool>& unknown = corpus.unknown.train;
  std::int64_t count = 0, to_spell = 0;
  for (std::size_t i = 0; i < unknown.size(); ++i)
    if (unknown[i]) ++count, to_spell += bytes[i];
  const auto tokens = static_cast<double>(bytes.size());
  return {std::accumulate(bytes.begin(), bytes.end(), 0.0) / tokens, bits_to_spell(count, to_spell) / tokens};
}

const std::string& source_of(const TrainingData& data) {
  return std::visit([](const auto& d) -> const std::string& { return d.source; }, data);
}

std::string fingerprint_of(const TrainingData& data) {
  Checksum sum;
  // Add the length first, so that moving a word from one text to the next changes the checksum.
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
  for (const LabelledTexts* part : {&articles.train, &articles.test, &articles.valid}) {
    if (part == &articles.valid && part->size() == 0) break;  // for compatibility with versions that had no validation part
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

/// The evaluation set for EvaluationWindows, EvaluationBatches or EvaluationTexts.
template <class Batches>
EvaluationSet make_evaluation_set(Batches all) {
  const auto batches = std::make_shared<Batches>(std::move(all));
  return {batches->size(), [batches](std::int64_t i) { return as_batch((*batches)[i]); }};
}

/// `set`, with the bytes of the targets counted in each batch.
EvaluationSet with_bytes(const EvaluationSet& set, std::vector<std::uint32_t> bytes, std::vector<bool> unknown) {
  if (bytes.empty()) return set;
  unknown.resize(bytes.size());
  struct Text {
    std::vector<std::uint32_t> bytes;
    std::vector<bool> unknown;
  };
  return {set.size, [set, text = std::make_shared<const Text>(std::move(bytes), std::move(unknown))](std::int64_t i) {
            Batch batch = set.at(i);
            const std::int64_t T = batch.tokens.shape()[1], n = batch.targets.shape()[1];
            for (const std::int64_t start : batch.places)
              for (auto at = static_cast<std::size_t>(start + T - n + 1); at <= static_cast<std::size_t>(start + T); ++at) {
                batch.target_bytes += text->bytes[at];
                batch.unknown += text->unknown[at];
                batch.unknown_bytes += text->unknown[at] ? text->bytes[at] : 0;
              }
            return batch;
          }};
}

}  // namespace

EvaluationSet evaluation_set(const Ids& text, const TextProtocol& protocol, std::vector<std::uint32_t> bytes,
                             std::vector<bool> unknown) {
  const auto& [name, B, T, stride] = protocol;
  if (name == "full-blocks") {
    if (stride) config_fail("stride", "full-blocks has no overlapping windows; use `protocol` every-token to set a stride");
    return with_bytes(make_evaluation_set(EvaluationBatches(text, B, T)), std::move(bytes), std::move(unknown));
  }
  require(name == "every-token", "evaluation", "unknown protocol {}", name);
  const std::int64_t S = stride.value_or(T);
  if (S < 1 || S > T) config_fail("stride", "must be in [1, {}] (the window length), got {}", T, S);
  return with_bytes(make_evaluation_set(EvaluationWindows(text, B, T, S)), std::move(bytes), std::move(unknown));
}

EvaluationSet evaluation_set(const LabelledTexts& texts, std::int64_t B, std::int64_t longest) {
  return make_evaluation_set(EvaluationTexts(texts, B, longest));
}

Task make_task(const RunConfig& config, const TrainingData& data) {
  return std::visit([&](const auto& d) { return task_of(config, d); }, data);
}

std::int64_t steps_per_epoch(const RunConfig& config, const Task& task) {
  return std::max<std::int64_t>(1, task.batches_per_epoch / config.training.accumulate);
}

std::int64_t steps_of_epochs(const RunConfig& config, const Task& task) {
  const std::int64_t epochs = config.training.epochs, each = steps_per_epoch(config, task);
  std::int64_t steps = 0;
  if (__builtin_mul_overflow(epochs, each, &steps) || steps > longest_run)
    config_fail("epochs", "{} epochs of {} steps exceed the limit for a run, {}", epochs, each, longest_run);
  return steps;
}

RunConfig completed_config(RunConfig config, const TrainingData& data, const Task& task) {
  const std::int64_t words = tokens_of(data).size();
  std::string& kind = config.training.tokens;
  if (kind == "auto") kind = tokens_of(data).kind();
  const bool learnt = config.model.task == TextTask::Lm && (kind == "bpe" || kind == "unigram");
  if (config.model.vocab_size == 0 || learnt) config.model.vocab_size = words;
  if (config.model.vocab_size < words)
    config_fail("vocab_size", "{} ids are too few for the corpus's {} tokens; use 0 to fit the corpus", config.model.vocab_size,
                words);
  const auto labels = static_cast<std::int64_t>(classes_of(data).size());
  if (labels > 0 && config.classes_from_data) config.model.n_classes = labels;
  if (labels > 0 && labels != config.model.n_classes)
    config_fail("n_classes", "the data have {} classes, but the model has {}", labels, config.model.n_classes);
  if (config.training.epochs > 0) config.training.steps = steps_of_epochs(config, task);
  config.validate();
  return config;
}

}  // namespace argand
