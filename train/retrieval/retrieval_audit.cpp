#include "train/retrieval/retrieval_audit.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>

#include "autograd/tape.h"
#include "core/error.h"

namespace argand {
namespace {

/// Two texts with this many consecutive tokens in common do not share them by coincidence.
constexpr std::int64_t verbatim = 16;

/// All sequences of `verbatim` consecutive tokens, as bytes.
std::unordered_set<std::string> runs_of(const Ids::value_type* tokens, std::int64_t n) {
  std::unordered_set<std::string> runs;
  for (std::int64_t i = 0; i + verbatim <= n; ++i)
    runs.emplace(reinterpret_cast<const char*>(tokens + i), static_cast<std::size_t>(verbatim) * sizeof(*tokens));
  return runs;
}

/// The tokens that row b reads and predicts, [T + 1]; for an article, its tokens.
std::vector<Ids::value_type> tokens_of(const Batch& batch, std::int64_t b) {
  const std::int64_t T = batch.tokens.shape()[1];
  std::vector<Ids::value_type> tokens(batch.tokens.data() + b * T, batch.tokens.data() + (b + 1) * T);
  if (batch.targets.shape() == batch.tokens.shape()) tokens.push_back(batch.targets[(b + 1) * T - 1]);
  return tokens;
}

bool shares_words(const std::vector<Ids::value_type>& window, const Ids::value_type* passage, std::int64_t L) {
  const auto theirs = runs_of(window.data(), static_cast<std::int64_t>(window.size()));
  const auto ours = runs_of(passage, L);
  return std::any_of(ours.begin(), ours.end(), [&](const std::string& run) { return theirs.contains(run); });
}

/// Runs the model on all tokens, only to record what its windows read.
template <RealScalar R>
void look_up(Model<R>& model, const Ids& tokens, const ForwardContext& pass) {
  if (model.config().task == TextTask::Lm) {  // logits of the last token only, because the output layer is most of the work
    const auto cache = model.make_cache(tokens.shape()[0]);
    model.next_logits(tokens, *cache, pass);
  } else {
    const NoGrad none;
    model.logits(tokens, pass);
  }
}

}  // namespace

template <RealScalar R>
RetrievalAudit audit_retrieval(Model<R>& model, const RunConfig& config, const Retriever& retriever, const Task& task, bool exclude,
                               const std::function<void(const Leak&)>& report, const std::function<void(std::int64_t)>& progress) {
  RetrievalAudit audit;
  std::unique_ptr<PassageStore> store;
  const std::int64_t batches = task.batches_per_epoch, L = config.knowledge.irw_length;
  for (std::int64_t i = 0; i < batches; ++i) {
    const std::int64_t step = i / config.training.accumulate;
    if (!store || (i % config.training.accumulate == 0 && retriever.due(step))) store = retriever.store(step, model);
    const KnowledgeBase& base = store->base();
    const Batch batch = task.batch(static_cast<std::uint64_t>(i));
    const std::int64_t B = batch.tokens.shape()[0];

    std::vector<std::set<Ids::value_type>> read(static_cast<std::size_t>(B));
    Knowledge watched = store->knowledge();
    watched.watch = [&](const Ids& chosen) {
      audit.reads += chosen.size();
      for (std::int64_t c = 0; c < chosen.size(); ++c) read[static_cast<std::size_t>(c * B / chosen.size())].insert(chosen[c]);
    };
    ForwardContext pass{.knowledge = &watched};
    if (exclude) pass.excluded = retriever.excluded(*store, batch);
    look_up(model, batch.tokens, pass);

    for (std::int64_t b = 0; b < B; ++b) {
      const auto [first, last] = retriever.window(batch, static_cast<std::size_t>(b));
      const std::vector<Ids::value_type> window =
          retriever.of_training_text() ? std::vector<Ids::value_type>() : tokens_of(batch, b);
      for (const Ids::value_type p : read[static_cast<std::size_t>(b)]) {
        const std::int64_t from = base.start(p), to = from + L;
        const Ids::value_type* passage = base.passages().data() + p * L;
        require(to <= retriever.text().size() && std::equal(passage, passage + L, retriever.text().data() + from), "audit",
                "passage {} does not match the text at {}", p, from);
        const bool leaks =
            retriever.of_training_text() ? std::max(first, from) < std::min(last, to) : shares_words(window, passage, L);
        ++audit.different;
        if (!leaks) continue;
        ++audit.leaks;
        report({step, b, first, last, p, from, to});
      }
    }
    audit.windows += B;
    audit.batches = i + 1;
    if (progress) progress(audit.batches);
  }
  return audit;
}

#define ARGAND_RETRIEVAL_AUDIT(R)                                                                           \
  template RetrievalAudit audit_retrieval(Model<R>&, const RunConfig&, const Retriever&, const Task&, bool, \
                                          const std::function<void(const Leak&)>&, const std::function<void(std::int64_t)>&);
ARGAND_FOR_REAL(ARGAND_RETRIEVAL_AUDIT)

}  // namespace argand
