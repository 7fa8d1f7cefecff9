#pragma once
/// Runs an ablation: trains every row with every seed, each run in its own process, and writes tables of the results.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/ablation/ablation_plan.h"
#include "train/ablation/result_table.h"

namespace argand {

struct AblationOptions {
  std::string out;           ///< the output folder; each run is in OUT/ROW/seed-S
  std::int64_t seeds = 3;    ///< seeds 0 ... seeds - 1
  std::int64_t jobs = 1;     ///< runs trained at a time
  std::int64_t threads = 1;  ///< threads per run
  bool probe = false;        ///< whether to generate text with each trained language model and test it on long windows (probes.h)
  bool latency = false;      ///< whether to measure how fast each trained language model generates text
  KeyTexts shared;           ///< the settings of all runs (shared_settings())
};

class Ablation {
 public:
  Ablation(AblationTable table, AblationOptions options);

  /// Throws InputError for a row with unknown keys, invalid values, or incompatible sizes, and Error if runs remain to be trained
  /// and their data cannot be read.
  void check() const;
  /// Trains the missing runs, showing progress; stopped runs continue. Returns 0, or 128 + the signal that stopped it once every
  /// run has saved. Throws Error if the folder holds an ablation with other settings, or if runs failed (after all others have
  /// finished).
  int run();

  /// Includes all seeds found in the folder, not only the requested ones.
  ResultTable results() const;

 private:
  struct Job {
    std::size_t row;
    std::int64_t seed;
  };
  std::string folder(const Job& job) const;
  std::optional<AblationResult> result(const Job& job) const;
  Settings settings(const Job& job) const;
  std::vector<std::string> training_command(const Job& job) const;
  /// The next command for this job; empty when all is done.
  std::vector<std::string> next_command(const Job& job) const;
  void write_settings() const;

  AblationTable table_;
  AblationOptions options_;
  std::vector<Job> jobs_;
};

}  // namespace argand
