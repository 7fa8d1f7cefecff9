#pragma once
/// A trained model applied to a text: phases, attention, the passages that reflection windows read, and gradients; also generated
/// text, or labels.

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "data/corpora/ag_news.h"
#include "train/checkpoints/trained_run.h"

namespace argand {

/// The data shared by the runs of a report, read once.
class SharedData {
 public:
  /// The results of open_corpus() and open_articles(), which may throw Error.
  const Corpus& corpus(const TrainedRun& trained);
  const ArticleSets& articles(const TrainedRun& trained);

 private:
  std::map<std::string, Corpus> corpora_;  ///< keyed by data and tokens
  std::map<std::string, ArticleSets> articles_;
};

struct ObservationOptions {
  std::string text;                     ///< if empty, the beginning of the validation text or the first article that the page shows
  std::int64_t most_weights = 200'000;  ///< the most attention weights the page may hold; longer texts are cut
};

/// {"text": {"words", "from", "cut", "phases", "attention", "windows", "passages"}, "gradients": {"loss", "parameters": [{"name",
/// "size", "rms", "largest", "zeros", "phases"}]}, "samples": [...], "articles": [...]}; an unavailable part (missing data, unknown
/// words) is {"none": why}.
nlohmann::ordered_json observe(const TrainedRun& trained, const ObservationOptions& options, SharedData& data);

}  // namespace argand
