#pragma once
/// `argand ablate --probe`: what the language models of an ablation write, and how they fare in windows longer than those they were
/// trained on. In a run's folder written.json and positions.json are what `argand eval --generate` and `--positions` say in --json.

#include <string>
#include <vector>

#include "train/ablation/ablation_tables.h"
#include "train/checkpoints/trained_run.h"

namespace argand {

/// The next thing to do, as words of a command, for a finished run to be probed: at its last checkpoint, with the seed of the run.
/// Nothing when all is done, or when the run has no checkpoint any more.
std::vector<std::string> next_probe(const AblationTable& table, const std::string& folder, std::int64_t seed);

/// Has the judge read the texts of all the runs that have some, and what the text itself says after their prompts, where it is at
/// hand and has these prompts; notes in the runs' files what the judge says: loss in nats a token.
/// Returns how many there were. Throws InputError for a judge that is a classifier or reads other tokens than words.
std::int64_t judge_texts(const AblationTable& table, const std::string& out, const TrainedRun& judge);

/// As Markdown: of what they write, of positions, of what is learnt, of retrieval, as far as there is any; "" where nobody
/// was probed.
std::string probe_tables(const AblationTable& table, const std::string& out);
/// Writes them to OUT/probes.md, if there are any.
void write_probe_tables(const AblationTable& table, const std::string& out);

}  // namespace argand
