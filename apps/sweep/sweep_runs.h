#pragma once
/// Trains the runs of a sweep, each in OUT/NAME/seed-S in a process of its own.

#include "train/sweep/sweep_file.h"

namespace argand {

struct SweepRunOptions {
  std::string task;           ///< "lm" or "classify"
  std::string out;            ///< the sweep's folder
  Settings common;            ///< of all runs
  std::string config{};       ///< file that all runs read first, or empty
  std::int64_t jobs = 1;      ///< at a time
  std::int64_t threads = 1;   ///< of each
  bool drop_weights = false;  ///< of a run that has ended only configuration and log stay
};

struct SweepEnd {
  int signal = 0;                     ///< that stopped it, after every run has saved
  std::vector<std::string> failures;  ///< "lr=0.001/seed-0: what it said last", of runs that neither ended nor diverged
};

/// Until the plan has nothing more. Prints a line a run.
SweepEnd run_sweep(SweepPlan& plan, SweepFile& file, const SweepRunOptions& options);

}  // namespace argand
