#pragma once
/// A run opened for use by `eval`, `generate` or `classify`: a checkpoint with its tokens and labels.

#include "data/corpora/corpus.h"
#include "data/vocabulary.h"
#include "train/checkpoints/checkpoint.h"

namespace argand {

struct TrainedRun {
  Checkpoint checkpoint;
  TokenizerPtr tokens;               ///< words, for a classifier
  std::vector<std::string> classes;  ///< for classifiers only

  /// Throws Error if the tokens are not words.
  const Vocabulary& words() const;
};

/// `run` is a run's folder or one of its checkpoints. Throws Error if the tokens or the labels do not match the model.
TrainedRun open_run(const std::string& run);

}  // namespace argand
