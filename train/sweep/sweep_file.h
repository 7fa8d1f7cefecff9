#pragma once
/// sweep.json: the results of a sweep's runs, in the sweep's folder.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "train/sweep/sweep_plan.h"

namespace argand {

/// After a run's last step, on what it validates on.
struct SweepOutcome {
  double loss = 0;                        ///< nats a token, or an article
  double metric = 0;                      ///< perplexity, or accuracy in percent
  std::optional<double> bits_per_byte{};  ///< of a language model
  std::string diverged{};                 ///< why there are no numbers; empty where there are
};

/// Bits a byte, which can be compared whatever the tokens are; the loss where there are none; of a classifier its accuracy, and
/// then the loss.
SweepScore score_of(const SweepOutcome& outcome, TextTask task);

class SweepFile {
 public:
  /// Reads FOLDER/sweep.json if it is there. `identity`: what all runs have alike, and the keys that vary. Throws ConfigError when
  /// it is a sweep with another one, or damaged, or when the folder holds something else.
  SweepFile(const std::string& folder, nlohmann::json identity);

  /// By the names of runs.
  const std::map<std::string, SweepOutcome>& outcomes() const { return outcomes_; }
  void record(const std::string& run, SweepOutcome outcome);
  /// Replaces the file, as record() does.
  void write() const;

 private:
  std::string path_;
  nlohmann::json identity_;
  std::map<std::string, SweepOutcome> outcomes_;
};

}  // namespace argand
