#pragma once
/// The loss of a language model on the tokens that occur in the passages retrieved for them, and on other tokens. A separate model
/// retrieves, so models with and without retrieval are compared on the same tokens.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "train/checkpoints/trained_run.h"
#include "train/evaluation/evaluation.h"

namespace argand {

/// Whether a target occurs in the passages that the token before it reads, in any retrieving layer. `Unread`: it reads none, as the
/// first tokens of a window do when chunks are retrieved.
enum class InPassages : std::uint8_t { Found, Absent, Unread };

/// Frequent tokens occur in nearly every passage, and in nearly every text: `repeated` says whether the target also occurs among
/// the tokens before it in its window, from which any model could copy it.
struct TokenGroup {
  InPassages passages = InPassages::Unread;
  bool repeated = false;
  friend bool operator==(const TokenGroup&, const TokenGroup&) = default;
};

struct GroupLoss {
  TokenGroup group;
  std::int64_t count = 0;
  double loss = 0;  ///< mean cross entropy in nats; 0 if count is 0
};

/// The groups of all targets [B, n] of each batch, in the order of the batches.
using GroupsOfTargets = std::vector<std::vector<TokenGroup>>;

/// `reader` is a language model with retrieval and `knowledge` what it retrieves from. `watch` receives the number of batches done
/// and may be null. Throws Error for a model that retrieves nothing.
template <RealScalar R>
GroupsOfTargets groups_of_targets(Model<R>& reader, const EvaluationSet& set, const Knowledge& knowledge,
                                  const std::function<void(std::int64_t)>& watch = nullptr);

/// The loss of a model, which need not be the reader, in all six groups: Found, Absent and Unread, each without and with
/// repetition. `set` must be the one that was grouped.
template <RealScalar R>
std::array<GroupLoss, 6> loss_by_group(Model<R>& model, const EvaluationSet& set, const GroupsOfTargets& groups,
                                       const ContextOf& context_of = nullptr,
                                       const std::function<void(std::int64_t)>& watch = nullptr);

/// The same functions for the model and passages of a run. They throw Error if its text or passages cannot be read.
GroupsOfTargets groups_of_targets(const TrainedRun& reader, const EvaluationSet& set,
                                  const std::function<void(std::int64_t)>& watch);
std::array<GroupLoss, 6> loss_by_group(const TrainedRun& run, const EvaluationSet& set, const GroupsOfTargets& groups,
                                       const std::function<void(std::int64_t)>& watch);

}  // namespace argand
