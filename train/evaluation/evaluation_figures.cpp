#include "train/evaluation/evaluation_figures.h"

#include <cmath>

namespace argand {

Figures figures_of(const Evaluation& evaluation, const std::vector<std::string>& classes) {
  Figures figures = {{"count", evaluation.count}, {"loss", evaluation.loss}};
  if (evaluation.confusion) {
    const ConfusionMatrix::Macro mean = evaluation.confusion->macro();
    figures["accuracy"] = evaluation.confusion->accuracy().value_or(0);
    figures["macro"] = {{"recall", mean.recall}, {"precision", mean.precision}, {"f1", mean.f1}};
    const auto or_null = [](std::optional<double> share) { return share ? Figures(*share) : Figures(); };
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const ConfusionMatrix& m = *evaluation.confusion;
      const auto label = static_cast<std::int64_t>(i);
      Figures labelled_as;
      for (std::size_t j = 0; j < classes.size(); ++j) labelled_as[classes[j]] = m.count(label, static_cast<std::int64_t>(j));
      figures["classes"][classes[i]] = {{"count", m.of_class(label)},
                                        {"recall", or_null(m.recall(label))},
                                        {"precision", or_null(m.precision(label))},
                                        {"f1", or_null(m.f1(label))},
                                        {"labelled_as", labelled_as}};
    }
  } else
    figures["perplexity"] = std::exp(evaluation.loss);
  if (const auto bits = evaluation.bits_per_byte()) figures["bits_per_byte"] = *bits;
  if (evaluation.unknown > 0) figures["unknown"] = evaluation.unknown;
  return figures;
}

Figures figures_of_batches(const Evaluation& evaluation) {
  Figures figures;
  for (const BatchFigures& batch : evaluation.batches) {
    figures["loss"].push_back(batch.loss);
    figures["count"].push_back(batch.count);
    if (evaluation.confusion)
      figures["correct"].push_back(batch.correct);
    else
      figures["bytes"].push_back(batch.bytes);
  }
  return figures;
}

}  // namespace argand
