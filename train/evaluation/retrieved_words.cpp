#include "train/evaluation/retrieved_words.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"
#include "core/error.h"
#include "train/data/retriever.h"

namespace argand {
namespace {

std::size_t index_of(const TokenGroup& group) { return 2 * static_cast<std::size_t>(group.passages) + (group.repeated ? 1 : 0); }

/// Cross entropy of one row of logits [V], in nats.
template <RealScalar R>
double cross_entropy_of(const R* row, std::int64_t V, std::int32_t target) {
  const double largest = static_cast<double>(*std::max_element(row, row + V));
  double sum = 0;
  for (std::int64_t v = 0; v < V; ++v) sum += std::exp(static_cast<double>(row[v]) - largest);
  return largest + std::log(sum) - static_cast<double>(row[target]);
}

}  // namespace

template <RealScalar R>
GroupsOfTargets groups_of_targets(Model<R>& reader, const EvaluationSet& set, const Knowledge& knowledge,
                                  const std::function<void(std::int64_t)>& watch) {
  const ModelConfig& config = reader.config();
  require(config.task == TextTask::Lm && !config.windows().layers.empty(), "retrieved words",
          "the model that retrieves must be a language model with retrieval");
  require(knowledge.passages != nullptr, "retrieved words", "there are no passages");
  const Ids& passages = *knowledge.passages;
  const std::int64_t L = passages.shape()[1];
  GroupsOfTargets groups;
  for (std::int64_t i = 0; i < set.size; ++i) {
    const Batch batch = set.at(i);
    const std::int64_t B = batch.tokens.shape()[0], T = batch.tokens.shape()[1], n = batch.targets.shape()[1];
    std::vector<TokenGroup>& of_batch = groups.emplace_back(static_cast<std::size_t>(B * n));
    Knowledge watched = knowledge;
    watched.watch_reading = [&](const Ids& chosen, const Tensor<double>&, const Tensor<double>&) {  // once per retrieving layer
      const std::int64_t k = chosen.shape()[1];
      for (std::int64_t b = 0; b < B; ++b)
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t c = 0; c < k; ++c) {
            const std::int64_t passage = chosen[(b * T + T - n + j) * k + c];
            InPassages& found = of_batch[static_cast<std::size_t>(b * n + j)].passages;
            if (passage < 0 || found == InPassages::Found) continue;
            const auto* first = passages.data() + passage * L;
            found = std::find(first, first + L, batch.targets[b * n + j]) != first + L ? InPassages::Found : InPassages::Absent;
          }
    };
    // The logits of the last token only, because the output layer is most of the work.
    const auto cache = reader.make_cache(B);
    reader.next_logits(batch.tokens, *cache, {.knowledge = &watched});
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t j = 0; j < n; ++j) {
        const auto *first = batch.tokens.data() + b * T, *end = first + T - n + j + 1;
        of_batch[static_cast<std::size_t>(b * n + j)].repeated = std::find(first, end, batch.targets[b * n + j]) != end;
      }
    if (watch) watch(i + 1);
  }
  return groups;
}

template <RealScalar R>
std::array<GroupLoss, 6> loss_by_group(Model<R>& model, const EvaluationSet& set, const GroupsOfTargets& groups,
                                       const ContextOf& context_of, const std::function<void(std::int64_t)>& watch) {
  require(static_cast<std::int64_t>(groups.size()) == set.size, "retrieved words", "{} batches were grouped, but there are {}",
          groups.size(), set.size);
  const NoGrad none;
  std::array<GroupLoss, 6> found;
  for (const InPassages passages : {InPassages::Found, InPassages::Absent, InPassages::Unread})
    for (const bool repeated : {false, true}) found[index_of({passages, repeated})].group = {passages, repeated};
  for (std::int64_t i = 0; i < set.size; ++i) {
    const Batch batch = set.at(i);
    const std::vector<TokenGroup>& of_batch = groups[static_cast<std::size_t>(i)];
    const std::int64_t B = batch.tokens.shape()[0], T = batch.tokens.shape()[1], n = batch.targets.shape()[1];
    require(static_cast<std::int64_t>(of_batch.size()) == B * n, "retrieved words", "batch {} has {} targets, but {} were grouped",
            i, B * n, of_batch.size());
    const Tensor<R> logits = model.logits(batch.tokens, context_of ? context_of(batch) : ForwardContext()).value();
    const std::int64_t V = logits.dim(2);
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t j = 0; j < n; ++j) {
        GroupLoss& one = found[index_of(of_batch[static_cast<std::size_t>(b * n + j)])];
        one.loss += cross_entropy_of(logits.data() + (b * T + T - n + j) * V, V, batch.targets[b * n + j]);
        ++one.count;
      }
    if (watch) watch(i + 1);
  }
  for (GroupLoss& one : found)
    if (one.count > 0) one.loss /= static_cast<double>(one.count);
  return found;
}

GroupsOfTargets groups_of_targets(const TrainedRun& reader, const EvaluationSet& set,
                                  const std::function<void(std::int64_t)>& watch) {
  return with_precision(reader.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(reader.checkpoint);
    const OpenRetriever retriever(reader, *model);
    return groups_of_targets<R>(*model, set, retriever.store->knowledge(), watch);
  });
}

std::array<GroupLoss, 6> loss_by_group(const TrainedRun& run, const EvaluationSet& set, const GroupsOfTargets& groups,
                                       const std::function<void(std::int64_t)>& watch) {
  return with_precision(run.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(run.checkpoint);
    const OpenRetriever retriever(run, *model);
    return loss_by_group<R>(
        *model, set, groups, [&](const Batch&) { return retriever.context(); }, watch);
  });
}

#define ARGAND_RETRIEVED_WORDS(R)                                                                                            \
  template GroupsOfTargets groups_of_targets(Model<R>&, const EvaluationSet&, const Knowledge&,                              \
                                             const std::function<void(std::int64_t)>&);                                      \
  template std::array<GroupLoss, 6> loss_by_group(Model<R>&, const EvaluationSet&, const GroupsOfTargets&, const ContextOf&, \
                                                  const std::function<void(std::int64_t)>&);
ARGAND_FOR_REAL(ARGAND_RETRIEVED_WORDS)

}  // namespace argand
