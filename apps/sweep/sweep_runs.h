#pragma once
/// Trains the runs of a sweep, each in OUT/NAME/seed-S and in its own process.

#include "train/sweep/sweep_file.h"

namespace argand {

struct SweepRunOptions {
  std::string task;           ///< "lm" or "classify"
  std::string out;            ///< the sweep's folder
  Settings common;            ///< settings for all runs
  std::string config{};       ///< a configuration file for all runs, or empty
  std::int64_t jobs = 1;      ///< runs at a time
  std::int64_t threads = 1;   ///< threads per run
  bool drop_weights = false;  ///< whether to keep only the configuration and the log of finished runs
};

struct SweepEnd {
  int signal = 0;                     ///< the signal that stopped it, after every run has saved
  std::vector<std::string> failures;  ///< "lr=0.001/seed-0: MESSAGE", for runs that neither finished nor diverged
};

/// Trains until nothing is left in the plan. Prints one line per run.
SweepEnd run_sweep(SweepPlan& plan, SweepFile& file, const SweepRunOptions& options);

}  // namespace argand
