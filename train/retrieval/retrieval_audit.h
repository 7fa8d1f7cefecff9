#pragma once
/// Whether a run's reflection windows ever read what they are to predict.

#include "train/data/retriever.h"

namespace argand {

/// A passage that was found for a window that it gives away.
struct Leak {
  std::int64_t step = 0, row = 0;                  ///< of the training batch
  std::int64_t window_first = 0, window_last = 0;  ///< the tokens of the training text that are read and predicted, [first, last)
  std::int64_t passage = 0;
  std::int64_t passage_first = 0, passage_last = 0;  ///< its tokens of the text that passages are cut from
};

struct RetrievalAudit {
  std::int64_t batches = 0, windows = 0;
  std::int64_t reads = 0;      ///< passages that tokens read, with repetitions
  std::int64_t different = 0;  ///< pairs of a window and a passage that one of its tokens read
  std::int64_t leaks = 0;
};

/// Replays the training batches of the first epoch, looks up what the windows of the model as it is now would read in each step,
/// and calls `report` for every passage that leaks: of the training text, one that shares a token's place with the window, whatever
/// the search believed; of another text, one that shares 16 consecutive words with it. `exclude` false: searches without the
/// exclusion, to see that leaks would be found. `progress` is called with the number of batches done. Throws Error when a passage
/// does not match the text at its place.
template <RealScalar R>
RetrievalAudit audit_retrieval(Model<R>& model, const RunConfig& config, const Retriever& retriever, const Task& task, bool exclude,
                               const std::function<void(const Leak&)>& report,
                               const std::function<void(std::int64_t)>& progress = nullptr);

}  // namespace argand
