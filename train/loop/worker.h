#pragma once
/// Coordination of the ranks of a run beside its steps: they compare their starting points, and agree when to end. Those that
/// neither write nor print do nothing else.

#include <functional>

#include "train/loop/training_run.h"

namespace argand {

/// All ranks are to begin with the same numbers, and to compute in the same way. Throws Error on those that differ from the first.
template <RealScalar R>
void compare_ranks(const TrainingRun<R>& run, Ranks& ranks);

/// The signal that ends the run now, for all ranks: one that some rank has received, or 0. `own`: this one's.
int agreed_signal(Ranks& ranks, int own);

/// This rank's share of all steps and validations, to the end of the run or a signal. `signal`: the one this rank has received, or
/// 0.
template <RealScalar R>
void run_worker(TrainingRun<R>& run, Ranks& ranks, const std::function<int()>& signal);

}  // namespace argand
