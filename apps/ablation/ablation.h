#pragma once
/// Runs an ablation: every row with every seed, each a training run of its own in a process of its own, and the table of what came
/// of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/ablation/ablation_report.h"
#include "train/ablation/ablation_plan.h"

namespace argand {

struct AblationOptions {
  std::string out;           ///< folder; a run is OUT/ROW/seed-S
  std::int64_t seeds = 3;    ///< 0 ... seeds - 1
  std::int64_t jobs = 1;     ///< runs at a time
  std::int64_t threads = 1;  ///< of each
  bool probe = false;        ///< afterwards, let each language model write, and read long windows (probes.h)
  bool latency = false;      ///< afterwards, time what each language model writes
  KeyTexts shared;           ///< shared_settings()
};

class Ablation {
 public:
  Ablation(AblationTable table, AblationOptions options);

  /// Throws InputError when a row cannot be: for keys that there are not, values that are none, sizes that do not fit; and Error
  /// when something is left to be trained, and the data for it cannot be read.
  void check() const;
  /// Trains what has not been trained yet, showing how far it is; runs that were stopped continue. Returns 0, or 128 + the signal
  /// that ended it after every run has saved. Throws Error when the folder holds an ablation with other settings, or, when all
  /// others are done, for runs that failed.
  int run();

  /// Of all seeds that are there, and not only of those asked for.
  AblationReport report() const;

 private:
  struct Job {
    std::size_t row;
    std::int64_t seed;
  };
  std::string folder(const Job& job) const;
  std::optional<AblationResult> result(const Job& job) const;
  Settings settings(const Job& job) const;
  std::vector<std::string> training_command(const Job& job) const;
  /// What is to be done next for it; nothing when all is done.
  std::vector<std::string> next_command(const Job& job) const;
  void remember_settings() const;

  AblationTable table_;
  AblationOptions options_;
  std::vector<Job> jobs_;
};

}  // namespace argand
