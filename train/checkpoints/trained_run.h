#pragma once
/// What `eval`, `generate` and `classify` read of a run: a checkpoint, and the tokens and labels beside it.

#include "data/corpora/corpus.h"
#include "data/vocabulary.h"
#include "train/checkpoints/checkpoint.h"

namespace argand {

struct TrainedRun {
  Checkpoint checkpoint;
  TokenizerPtr tokens;               ///< of a classifier: words
  std::vector<std::string> classes;  ///< of a classifier

  /// Throws Error when the tokens are none.
  const Vocabulary& words() const;
};

/// RUN: a run's folder or one of its checkpoints. Throws Error when the tokens or the labels are not those of the model.
TrainedRun open_run(const std::string& run);

}  // namespace argand
