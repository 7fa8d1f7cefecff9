#pragma once
/// What `eval`, `generate` and `classify` read of a run: a checkpoint, and the words and labels beside it.

#include "apps/runs/checkpoint.h"
#include "data/corpora/corpus.h"

namespace argand {

struct TrainedRun {
  Checkpoint checkpoint;
  Vocabulary vocabulary;
  std::vector<std::string> classes;  ///< of a classifier
};

/// RUN: a run's folder or one of its checkpoints. Throws Error when the vocabulary or the labels are not those of the model.
TrainedRun open_run(const std::string& run);

/// The ids of one vocabulary said in another. Throws Error for a word that `to` does not have when it has no `<unk>` either.
Ids translate(const Ids& ids, const Vocabulary& from, const Vocabulary& to);

}  // namespace argand
