#pragma once
/// A trained model at work on a text: phases, attention, what reflection windows read, gradients; what it writes, or how it labels.

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "data/corpora/ag_news.h"
#include "train/checkpoints/trained_run.h"

namespace argand {

/// The data that runs of one report share, read once.
class SharedData {
 public:
  /// As open_corpus() and open_articles(). Throw Error.
  const Corpus& corpus(const TrainedRun& trained);
  const ArticleSets& articles(const TrainedRun& trained);

 private:
  std::map<std::string, Corpus> corpora_;  ///< by the data and the tokens
  std::map<std::string, ArticleSets> articles_;
};

struct ObservationOptions {
  std::string text;                     ///< empty: the beginning of the validation text, or the first test article
  std::int64_t most_weights = 200'000;  ///< attention weights that the page may hold; longer texts lose their end
};

/// {"text": {"words", "from", "cut", "phases", "attention", "windows", "passages"}, "gradients": {"loss", "parameters": [{"name",
/// "size", "rms", "largest", "zeros", "phases"}]}, "samples": [...], "articles": [...]}, of which a part that cannot be had is
/// {"none": why} (data that are gone, words that the model does not know).
nlohmann::ordered_json observe(const TrainedRun& trained, const ObservationOptions& options, SharedData& data);

}  // namespace argand
