#pragma once
/// How good a model is on texts that it does not train on.

#include <optional>
#include <string_view>

#include "nn/model.h"
#include "train/data/task.h"
#include "train/ranks/ranks.h"

namespace argand {

/// The confusion matrix.
class ConfusionMatrix {
 public:
  /// Throws Error for n < 1.
  explicit ConfusionMatrix(std::int64_t n_classes);

  /// An article of class `label` was labelled `predicted`, or this many were.
  void add(std::int64_t label, std::int64_t predicted, std::int64_t times = 1);

  std::int64_t n_classes() const { return n_; }
  std::int64_t count(std::int64_t label, std::int64_t predicted) const;
  std::int64_t of_class(std::int64_t label) const;         ///< how many there are
  std::int64_t labelled_as(std::int64_t predicted) const;  ///< how many were thought to be
  std::int64_t total() const;
  std::int64_t correct() const;

  /// Shares in [0, 1]; nothing where there is nothing to divide by.
  std::optional<double> accuracy() const;                     ///< of all, the share labelled rightly
  std::optional<double> recall(std::int64_t label) const;     ///< of a class, the share labelled rightly: its accuracy
  std::optional<double> precision(std::int64_t label) const;  ///< of those labelled so, the share that is
  std::optional<double> f1(std::int64_t label) const;         ///< 2 / (1/precision + 1/recall); 0 where none is labelled rightly

  /// Means over the classes that there are articles of, each class weighing the same; 0 where nothing is labelled so.
  struct Macro {
    double recall = 0, precision = 0, f1 = 0;
  };
  Macro macro() const;

  /// Lines to print: for each class recall, precision, F1 and how often it was labelled as which; then their means.
  std::vector<std::string> table(const std::vector<std::string>& classes) const;

 private:
  std::int64_t n_;
  std::vector<std::int64_t> counts_;  ///< [label, predicted]
};

struct Evaluation {
  /// What the best validation has least of: the loss of a language model; of a classifier the share of articles that are labelled
  /// wrongly, or by "f1" what its macro F1 lacks to 1, or by "loss" its loss.
  double objective(std::string_view by = "accuracy") const;
  /// How to say the loss in bits a byte of the text; not known for a classifier.
  BitsPerByte in_bits() const;
  std::optional<double> bits_per_byte() const;

  double loss = 0;                           ///< cross entropy: nats a token, or an article
  std::int64_t count = 0;                    ///< of tokens or articles
  std::int64_t bytes = 0;                    ///< of text that these tokens stand for; 0: unknown
  std::int64_t unknown = 0;                  ///< tokens that do not say which bytes these are
  std::int64_t unknown_bytes = 0;            ///< of text that those stand for
  std::optional<ConfusionMatrix> confusion;  ///< of a classifier
};

/// "loss 0.4123, accuracy 87.5 %" of a classifier, "loss 4.1227, perplexity 61.73, 1.203 bits a byte" of a language model, and
/// where it did not know all of the text ", 12.0 % of the tokens unknown".
std::string summary(const Evaluation& evaluation);

/// What the pass of a batch depends on besides parameters and tokens.
using ContextOf = std::function<ForwardContext(const Batch&)>;

/// Called after every batch: this many of all that this rank takes are done.
using EvaluationWatch = std::function<void(std::int64_t done, std::int64_t all)>;

/// `most` of the batches, evenly spread, or all of them when there are no more or `most` is 0.
EvaluationSet some_batches(const EvaluationSet& set, std::int64_t most);

/// Records nothing, changes nothing. `context_of`, `watch`: null for none. Several ranks share the batches; each has the same
/// result, which one alone would have.
template <RealScalar R>
Evaluation evaluate(Model<R>& model, const EvaluationSet& set, const ContextOf& context_of = nullptr,
                    const EvaluationWatch& watch = nullptr, Ranks& ranks = single_process());

}  // namespace argand
