#include "apps/runs/retrieved_table.h"

#include <cmath>

#include "apps/terminal/counter.h"
#include "apps/terminal/option_names.h"
#include "train/evaluation/retrieved_words.h"

namespace argand {

nlohmann::ordered_json eval_retrieved(const TrainedRun& trained, const EvaluationSet& set, const std::string& reader) {
  const TrainedRun other = open_run(reader);
  const RunConfig &own = trained.checkpoint.config(), &config = other.checkpoint.config();
  if (config.model.task != TextTask::Lm || !config.has_windows())
    input_fail("--retrieved-by", "{} is not a language model with retrieval", reader);
  if (other.tokens->kind() != trained.tokens->kind() || other.tokens->size() != trained.tokens->size() ||
      other.tokens->file() != trained.tokens->file())
    input_fail("--retrieved-by", "{} and {} have different tokens", reader, trained.checkpoint.file().path());
  if (config.model.max_seq_len < own.training.length)
    input_fail("--retrieved-by", "{} reads at most {} tokens, but windows have {}", reader, config.model.max_seq_len,
               own.training.length);
  Counter retrieving("retrieving", set.size);
  const GroupsOfTargets groups = groups_of_targets(other, set, [&](std::int64_t done) { retrieving.update(done); });
  retrieving.clear();
  Counter evaluating("evaluating", set.size);
  const auto losses = loss_by_group(trained, set, groups, [&](std::int64_t done) { evaluating.update(done); });
  evaluating.clear();
  fmt::print("{} at step {}; passages retrieved by {} at step {}\n\n", trained.checkpoint.file().path(),
             trained.checkpoint.state().step, other.checkpoint.file().path(), other.checkpoint.state().step);
  fmt::print("{:<19}{:<22}{:>10}{:>10}{:>13}\n", "in the passages", "before in the window", "tokens", "loss", "perplexity");
  auto groups_found = nlohmann::ordered_json::array();
  for (const auto& [group, count, loss] : losses) {
    const char* const where = group.passages == InPassages::Found    ? "yes"
                              : group.passages == InPassages::Absent ? "no"
                                                                     : "none read";
    nlohmann::ordered_json one = {{"in_passages", where}, {"before_in_window", group.repeated}, {"count", count}};
    one["loss"] = count > 0 ? nlohmann::ordered_json(loss) : nlohmann::ordered_json();
    groups_found.push_back(std::move(one));
    fmt::print("{:<19}{:<22}{:>10}{:>10}{:>13}\n", where, group.repeated ? "yes" : "no", count,
               count > 0 ? fmt::format("{:.4f}", loss) : "-", count > 0 ? fmt::format("{:.2f}", std::exp(loss)) : "-");
  }
  return {{"retrieved_by", other.checkpoint.file().path()},
          {"retrieved_by_step", other.checkpoint.state().step},
          {"groups", groups_found}};
}

}  // namespace argand
