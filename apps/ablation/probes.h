#pragma once
/// `argand ablate --probe`: what the language models of an ablation write, and how they do in windows longer than those of
/// training. In a run's folder, written.json and positions.json are the --json output of `argand eval --generate` and
/// `--positions`.

#include <string>
#include <vector>

#include "train/ablation/ablation_tables.h"
#include "train/checkpoints/trained_run.h"

namespace argand {

/// The next probe of a finished run, as words of a command: at its last checkpoint, with the seed of the run. Empty when all are
/// done, or when the run has no checkpoint any more.
std::vector<std::string> next_probe(const AblationTable& table, const std::string& folder, std::int64_t seed);

/// Has the judge read the texts of all runs that have some, and the original continuations of their prompts if the corpus is
/// available and has these prompts; stores the judge's loss in nats per token in the runs' files. Returns the number of runs
/// judged. Throws InputError for a judge that is a classifier or whose tokens are not words.
std::int64_t judge_texts(const AblationTable& table, const std::string& out, const TrainedRun& judge);

}  // namespace argand
