#pragma once
/// The data for a task, in batches for training and validation.

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
/// The names of the labels; empty for language models.
std::vector<std::string> classes_of(const TrainingData& data);

/// The part used for validation: "validation", or "test" for articles without a validation part.
const char* validated_part(const TrainingData& data);

/// Converts losses on the training text to bits per byte.
BitsPerByte bits_per_byte(const Corpus& corpus);

/// One line on the origin of the data; empty if it is obvious.
const std::string& source_of(const TrainingData& data);

/// A checksum of the data used for training batches and validations. Tokens are represented by their ids.
std::string fingerprint_of(const TrainingData& data);

/// B rows that are processed together.
struct Batch {
  Ids tokens;                        ///< [B, T]
  Ids targets;                       ///< successors of the last n tokens of each row [B, n], n = T in training; or the labels [B]
  std::vector<std::int64_t> places;  ///< for each row [B]: where its window begins in the text, or the index of its article
  std::int64_t n_tokens = 0;         ///< number of tokens without padding
  std::int64_t target_bytes = 0;     ///< bytes of text that the targets represent; 0: not counted
  std::int64_t unknown = 0;          ///< targets that represent unknown text, such as <unk>
  std::int64_t unknown_bytes = 0;    ///< bytes of text that these unknown targets represent
};

/// The batches of one evaluation, each used once.
struct EvaluationSet {
  std::int64_t size = 0;                  ///< number of batches
  std::function<Batch(std::int64_t)> at;  ///< batch i, 0 <= i < size
};

/// How a text [N] is split into tokens to score.
struct TextProtocol {
  /// `every-token`: each of the N - 1 tokens after the first is scored once, for any batch size (EvaluationWindows). `full-blocks`:
  /// only tokens in full blocks of batch x length, as older versions did (EvaluationBatches).
  std::string name = "every-token";
  std::int64_t batch = 1;
  std::int64_t length = 1;  ///< T, tokens per window
  /// Tokens scored by every window except the first, in [1, length]; empty: length. Only for `every-token`.
  std::optional<std::int64_t> stride{};
};

/// `bytes`: the number of bytes of text that each token represents [N], or empty; `unknown`: whether the token represents unknown
/// text [N], or empty. Throws ConfigError for an invalid stride, and Error for a text that is too short.
EvaluationSet evaluation_set(const Ids& text, const TextProtocol& protocol, std::vector<std::uint32_t> bytes = {},
                             std::vector<bool> unknown = {});
/// Each text once, cut to its first `longest` words, B texts at a time (EvaluationTexts).
EvaluationSet evaluation_set(const LabelledTexts& texts, std::int64_t B, std::int64_t longest);

/// The data of a training run.
struct Task {
  std::function<Batch(std::uint64_t)> batch;  ///< training batch i, a pure function of the data, the configuration and i
  std::int64_t batches_per_epoch = 0;
  EvaluationSet validation;  ///< the test part for articles without a validation part
};

/// Throws Error if there is not enough data for a batch.
Task make_task(const RunConfig& config, const TrainingData& data);

/// The configuration completed from the data: the kind of tokens; vocab_size, if it is 0 or the pieces were learned; the number of
/// classes, if not given; and epochs converted to steps. Throws ConfigError if ids or labels in the data do not fit.
RunConfig completed_config(RunConfig config, const TrainingData& data, const Task& task);

/// Steps per epoch, batches_per_epoch / accumulate rounded down, at least 1.
std::int64_t steps_per_epoch(const RunConfig& config, const Task& task);
/// Steps in all epochs of the run. Throws ConfigError if they exceed the limit for a run.
std::int64_t steps_of_epochs(const RunConfig& config, const Task& task);

}  // namespace argand
