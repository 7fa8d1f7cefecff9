#pragma once
/// The data of a task, in batches for training and batches for validation.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "data/corpora/corpus.h"
#include "data/labelled_texts.h"
#include "train/config/bits_per_byte.h"
#include "train/config/run_config.h"

namespace argand {

/// A text for language models, or articles for classifiers.
using TrainingData = std::variant<Corpus, LabelledCorpus>;

const Tokenizer& tokens_of(const TrainingData& data);
/// The names of the labels; none for language models.
std::vector<std::string> classes_of(const TrainingData& data);

/// The part that validations look at: "validation", or "test" of articles without such a part.
const char* validated_part(const TrainingData& data);

/// Of the text to train on.
BitsPerByte bits_per_byte(const Corpus& corpus);

/// One line that says where the data are from; nothing where that goes without saying.
const std::string& source_of(const TrainingData& data);

/// A checksum of everything that batches and validations are made of: other data, another fingerprint. Words are identified by
/// their ids.
std::string fingerprint_of(const TrainingData& data);

/// B rows that go through the model together.
struct Batch {
  Ids tokens;                        ///< [B, T]
  Ids targets;                       ///< what follows the last n tokens of each row [B, n], n = T in training; or the labels [B]
  std::vector<std::int64_t> places;  ///< of each row [B]: where in the text its window begins, or which article it is
  std::int64_t n_tokens = 0;         ///< without padding
  std::int64_t target_bytes = 0;     ///< of text that the targets stand for; 0: not counted
  std::int64_t unknown = 0;          ///< targets that do not say which bytes these are
  std::int64_t unknown_bytes = 0;    ///< of text that those stand for
};

/// Batches that are looked at once.
struct EvaluationSet {
  std::int64_t size = 0;                  ///< number of batches
  std::function<Batch(std::int64_t)> at;  ///< batch i, 0 <= i < size
};

/// How the tokens to be scored are cut from a text [N].
struct TextProtocol {
  /// `every-token`: all N - 1 that follow another are scored once, whatever the batch (EvaluationWindows). `full-blocks`: those of
  /// full blocks of batch x length, as before there was a choice (EvaluationBatches).
  std::string name = "every-token";
  std::int64_t batch = 1;
  std::int64_t length = 1;  ///< T, tokens of a window
  /// Tokens that each window but the first scores, in [1, length]; nothing: length. Only `every-token` has a choice.
  std::optional<std::int64_t> stride{};
};

/// `bytes`: of text that each token stands for [N], or nothing; `unknown`: whether it does not say which [N], or nothing. Throws
/// ConfigError for a stride that does not fit, Error for a text that is too short.
EvaluationSet evaluation_set(const Ids& text, const TextProtocol& protocol, std::vector<std::uint32_t> bytes = {},
                             std::vector<bool> unknown = {});
/// Every text once, B at a time, its first `longest` words (EvaluationTexts).
EvaluationSet evaluation_set(const LabelledTexts& texts, std::int64_t B, std::int64_t longest);

/// All that a training run knows of its data.
struct Task {
  std::function<Batch(std::uint64_t)> batch;  ///< training batch i, a pure function of data, configuration and i
  std::int64_t batches_per_epoch = 0;
  EvaluationSet validation;  ///< of articles without a validation part, the test part
};

/// Throws Error when there are too little data for a batch.
Task make_task(const RunConfig& config, const TrainingData& data);

/// The configuration with what it takes from the data: the kind of tokens, a vocab_size of 0, or of pieces that were learnt,
/// becomes how many there are, as the number of classes does that nobody gave; epochs become steps. Throws ConfigError when ids or
/// labels of the data do not fit.
RunConfig fitted(RunConfig config, const TrainingData& data, const Task& task);

/// Steps after which as many batches have been taken as an epoch has, at least 1.
std::int64_t steps_per_epoch(const RunConfig& config, const Task& task);
/// Those of all its epochs. Throws ConfigError when these are more than can be counted.
std::int64_t steps_of_epochs(const RunConfig& config, const Task& task);

}  // namespace argand
