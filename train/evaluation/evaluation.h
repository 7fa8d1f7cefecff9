#pragma once
/// Evaluates a model on texts outside its training data.

#include <optional>
#include <string_view>

#include "nn/model.h"
#include "train/data/task.h"
#include "train/ranks/ranks.h"

namespace argand {

/// A confusion matrix with metrics derived from it.
class ConfusionMatrix {
 public:
  /// Throws Error for n < 1.
  explicit ConfusionMatrix(std::int64_t n_classes);

  /// Counts `times` articles of class `label` that were labelled as `predicted`.
  void add(std::int64_t label, std::int64_t predicted, std::int64_t times = 1);

  std::int64_t n_classes() const { return n_; }
  std::int64_t count(std::int64_t label, std::int64_t predicted) const;
  std::int64_t of_class(std::int64_t label) const;         ///< number of articles of this class
  std::int64_t labelled_as(std::int64_t predicted) const;  ///< number of articles labelled as this class
  std::int64_t total() const;
  std::int64_t correct() const;

  /// Ratios in [0, 1]; empty if the denominator is 0.
  std::optional<double> accuracy() const;                     ///< the fraction of all articles labelled correctly
  std::optional<double> recall(std::int64_t label) const;     ///< the fraction of this class's articles labelled correctly
  std::optional<double> precision(std::int64_t label) const;  ///< the fraction of articles labelled as this class that belong to it
  std::optional<double> f1(std::int64_t label) const;         ///< 2 / (1/precision + 1/recall); 0 if neither is above 0

  /// Unweighted means over the classes that have articles; a class that was never predicted counts as 0.
  struct Macro {
    double recall = 0, precision = 0, f1 = 0;
  };
  Macro macro() const;

  /// Lines to print: for each class its recall, precision and F1, and how often its articles received each label; then the means.
  std::vector<std::string> table(const std::vector<std::string>& classes) const;

 private:
  std::int64_t n_;
  std::vector<std::int64_t> counts_;  ///< [label, predicted]
};

/// The results of one batch.
struct BatchFigures {
  double loss = 0;           ///< mean cross entropy, in nats
  std::int64_t count = 0;    ///< tokens or articles
  std::int64_t bytes = 0;    ///< bytes of text that these tokens represent; 0: unknown, or articles
  std::int64_t correct = 0;  ///< articles labelled correctly; 0 for a language model
};

struct Evaluation {
  /// The quantity that the best validation minimises: a language model's loss; a classifier's error rate, or 1 - macro F1 if `by`
  /// is "f1", or the loss if it is "loss".
  double objective(std::string_view by = "accuracy") const;
  /// Converts the loss to bits per byte of the text; not set for a classifier.
  BitsPerByte in_bits() const;
  std::optional<double> bits_per_byte() const;

  double loss = 0;                           ///< cross entropy: nats per token, or per article
  std::int64_t count = 0;                    ///< tokens or articles
  std::int64_t bytes = 0;                    ///< bytes of text that these tokens represent; 0: unknown
  std::int64_t unknown = 0;                  ///< tokens that do not determine their bytes
  std::int64_t unknown_bytes = 0;            ///< bytes of text that those tokens represent
  std::optional<ConfusionMatrix> confusion;  ///< classifiers only
  std::vector<BatchFigures> batches = {};    ///< in the order of the evaluation set
};

/// "loss 0.4123, accuracy 87.5 %" for a classifier, "loss 4.1227, perplexity 61.73, 1.203 bits per byte" for a language model, plus
/// ", 12.0 % of the tokens unknown" if the text has unknown tokens.
std::string summary(const Evaluation& evaluation);

/// The inputs of a forward pass besides parameters and tokens.
using ContextOf = std::function<ForwardContext(const Batch&)>;

/// Called after every batch with the number of batches done and the total, on this rank.
using EvaluationWatch = std::function<void(std::int64_t done, std::int64_t all)>;

/// At most `most` batches, evenly spaced; all of them if `most` is 0.
EvaluationSet some_batches(const EvaluationSet& set, std::int64_t most);

/// Records nothing on the tape and changes nothing. `context_of` and `watch` may be null. Several ranks share the batches; each
/// gets the same result as a single rank would.
template <RealScalar R>
Evaluation evaluate(Model<R>& model, const EvaluationSet& set, const ContextOf& context_of = nullptr,
                    const EvaluationWatch& watch = nullptr, Ranks& ranks = single_process());

}  // namespace argand
