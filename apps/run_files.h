#pragma once
/// What `eval` and `generate` read of a run: a checkpoint and the vocabulary beside it.

#include "apps/checkpoint.h"
#include "data/corpus.h"

namespace argand {

struct TrainedRun {
  Checkpoint checkpoint;
  Vocabulary vocabulary;
};

/// RUN: a run's folder or one of its checkpoints. Throws Error when the vocabulary is not that of the model.
TrainedRun open_run(const std::string& run);

/// The ids of one vocabulary said in another. Throws Error for a word that `to` does not have when it has no `<unk>` either.
Ids translate(const Ids& ids, const Vocabulary& from, const Vocabulary& to);

}  // namespace argand
