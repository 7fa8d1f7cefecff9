#pragma once
/// sweep.json: the results of a sweep's runs, in the sweep's folder.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "train/sweep/sweep_plan.h"

namespace argand {

/// Results on validation data after a run's last step.
struct SweepOutcome {
  double loss = 0;                        ///< nats per token, or per article
  double metric = 0;                      ///< perplexity, or accuracy in percent
  std::optional<double> bits_per_byte{};  ///< language models only
  std::string diverged{};                 ///< the reason, if the run diverged and has no results
};

/// The score for ranking: bits per byte, which is comparable across tokenizers, or the loss if they are unknown; for a classifier
/// its accuracy, then the loss.
SweepScore score_of(const SweepOutcome& outcome, TextTask task);

/// The results in a sweep's folder by run name, for any settings of the sweep; empty if there is no sweep.json. Throws Error if
/// that file is damaged.
std::map<std::string, SweepOutcome> outcomes_in(const std::string& folder);

class SweepFile {
 public:
  /// Reads FOLDER/sweep.json if it exists. `identity`: the common settings of all runs and the keys that vary. Throws ConfigError
  /// if the file has a different identity or is damaged, or if the folder contains something else.
  SweepFile(const std::string& folder, nlohmann::json identity);

  /// The results by run name.
  const std::map<std::string, SweepOutcome>& outcomes() const { return outcomes_; }
  void record(const std::string& run, SweepOutcome outcome);
  /// Writes the file, replacing the old one, as record() does.
  void write() const;

 private:
  std::string path_;
  nlohmann::json identity_;
  std::map<std::string, SweepOutcome> outcomes_;
};

}  // namespace argand
