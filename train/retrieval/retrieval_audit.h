#pragma once
/// Checks whether a run's reflection windows ever read the tokens that the model should predict.

#include "train/data/retriever.h"

namespace argand {

/// A passage that reveals part of the window for which it was found.
struct Leak {
  std::int64_t step = 0, row = 0;                  ///< position in training: the step and the row of its batch
  std::int64_t window_first = 0, window_last = 0;  ///< the tokens that are read and predicted, [first, last) in the training text
  std::int64_t passage = 0;
  std::int64_t passage_first = 0, passage_last = 0;  ///< the tokens of the passage, in the text from which passages are cut
};

struct RetrievalAudit {
  std::int64_t batches = 0, windows = 0;
  std::int64_t reads = 0;      ///< how often tokens read a passage, counting repetitions
  std::int64_t different = 0;  ///< distinct pairs of a window and a passage that one of its tokens read
  std::int64_t leaks = 0;
};

/// Replays the training batches of the first epoch, finds the passages that the reflection windows, with the current parameters,
/// would read in each step, and calls `report` for every passage that leaks: one that overlaps the row's window in the training
/// text, or one from another text that shares 16 consecutive tokens with that window. `exclude` = false disables the exclusion, to
/// show that the audit finds leaks. `progress` receives the number of batches done. Throws Error if a passage does not match the
/// text at its position.
template <RealScalar R>
RetrievalAudit audit_retrieval(Model<R>& model, const RunConfig& config, const Retriever& retriever, const Task& task, bool exclude,
                               const std::function<void(const Leak&)>& report,
                               const std::function<void(std::int64_t)>& progress = nullptr);

}  // namespace argand
