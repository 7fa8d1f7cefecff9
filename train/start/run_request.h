#pragma once
/// From a user's request to a run: settings become a configuration, initial weights, and data. Programs and Python start and resume
/// runs through these functions, but handle files and progress differently.

#include <functional>
#include <optional>
#include <string>

#include "train/checkpoints/initial_weights.h"
#include "train/data/corpora.h"
#include "train/loop/training_run.h"

namespace argand {

/// RunConfig::resolve, with the sizes of the run specified by the key `init` and, unless others are requested, its tokens. Throws
/// ConfigError.
RunConfig resolve_with_init(Settings file, const Settings& given, const std::string& task);

/// The inputs of a new run.
struct NewRun {
  RunConfig config;  ///< with absolute paths
  std::optional<InitialWeights> weights{};
  TrainingData data;
};
/// Opens the files that the configuration specifies. Throws Error.
NewRun open_new_run(RunConfig config);

/// Changes to a resumed run: a new location for its data, and new settings.
struct Continuation {
  std::string data;  ///< empty: unchanged
  Settings changes;  ///< settings that RunConfig::extended allows
};
Continuation continuation(const Settings& given);

/// The data for a resumed run, encoded with the run's tokens. Throws Error.
TrainingData open_data(const TrainedRun& run, const Continuation& continuation);

/// The model's continuation of the validation text's first token, a function of the run's seed, step and parameters. Empty if
/// `stopped` (may be null) returns true before the end; the sample is then generated when the run resumes.
template <RealScalar R>
std::optional<std::string> sample_of(TrainingRun<R>& run, const Corpus& corpus, const std::function<bool()>& stopped = nullptr);

}  // namespace argand
