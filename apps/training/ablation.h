#pragma once
/// Runs an ablation: every row with every seed, each a training run of its own in a process of its own, and the table of what came
/// of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/terminal/settings.h"
#include "apps/training/ablation_tables.h"

namespace argand {

struct AblationOptions {
  std::string out;           ///< folder; a run is OUT/ROW/seed-S
  std::int64_t seeds = 3;    ///< 0 ... seeds - 1
  std::int64_t jobs = 1;     ///< runs at a time
  std::int64_t threads = 1;  ///< of each
  /// Key and text, of every row, after the row's own: data, steps, ...
  std::vector<std::pair<std::string, std::string>> shared;
};

/// What a finished run says.
struct AblationResult {
  double metric = 0;  ///< perplexity of the validation part, or accuracy in percent on the test articles, after the last step
  std::optional<double> bits_per_byte{};  ///< of a language model, where the log has it
  std::int64_t parameters = 0;            ///< real degrees of freedom
};

class Ablation {
 public:
  Ablation(AblationTable table, AblationOptions options);

  /// Throws UsageError when a row cannot be: for keys that there are not, values that are none, sizes that do not fit.
  void check() const;
  /// Trains what has not been trained yet, showing how far it is; runs that were stopped go on. Returns 0, or 128 + the signal that
  /// ended it after every run has saved. Throws Error when the folder holds an ablation with other settings, or, when all others
  /// are done, for runs that failed.
  int run();

  /// The Markdown table: mean ± sample standard deviation over the seeds that are there.
  std::string table() const;

 private:
  struct Job {
    std::size_t row;
    std::int64_t seed;
  };
  std::string folder(const Job& job) const;
  std::optional<AblationResult> result(const Job& job) const;
  Settings settings(const Job& job) const;
  std::vector<std::string> command(const Job& job) const;
  void remember_settings() const;

  AblationTable table_;
  AblationOptions options_;
  std::vector<Job> jobs_;
};

/// The result of a run's folder; nothing while it has not ended.
std::optional<AblationResult> read_result(const std::string& folder);

/// "401.3 ± 12.0 (3)", "401.3 (1)", or "-" for none: mean ± sample standard deviation (how many), with so many decimals.
std::string mean_and_deviation(const std::vector<double>& values, int decimals = 1);

}  // namespace argand
