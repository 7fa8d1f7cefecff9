#pragma once
/// From a user's request to a run: settings become a configuration, initial weights, and data. Programs and Python begin and
/// continue runs by these, each with its own words for files and progress.

#include <functional>
#include <optional>
#include <string>

#include "train/checkpoints/initial_weights.h"
#include "train/data/corpora.h"
#include "train/loop/training_run.h"

namespace argand {

/// RunConfig::resolve, with the sizes of the run that the key `init` names and, unless others are asked for, its tokens. Throws
/// ConfigError.
RunConfig resolve_with_init(Settings file, const Settings& given, const std::string& task);

/// The inputs of a new run.
struct NewRun {
  RunConfig config;  ///< with paths that are found from every directory
  std::optional<InitialWeights> weights{};
  TrainingData data;
};
/// Opens what the configuration names. Throws Error.
NewRun open_new_run(RunConfig config);

/// What may be said of a resumed run: where its data are now, and what is to be otherwise.
struct Continuation {
  std::string data;  ///< empty: where they were
  Settings changes;  ///< RunConfig::extended says which there can be
};
Continuation continuation(const Settings& given);

/// The data of a resumed run, in the run's own tokens. Throws Error.
TrainingData open_data(const TrainedRun& run, const Continuation& continuation);

/// What the model writes after the first token of the validation text: a function of the run's seed, step and parameters. Nothing
/// when `stopped` (null: never) says yes on the way: then the run writes it when it resumes.
template <RealScalar R>
std::optional<std::string> sample_of(TrainingRun<R>& run, const Corpus& corpus, const std::function<bool()>& stopped = nullptr);

}  // namespace argand
