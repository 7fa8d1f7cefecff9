#include "apps/sweep/sweep_table.h"

#include <algorithm>
#include <cmath>

#include "apps/terminal/option_names.h"
#include "core/text/text_layout.h"
#include "train/ablation/comparison.h"

namespace argand {
namespace {

/// The values of the field in the runs that did not diverge.
std::vector<double> values_of(const SweepRow& row, double SweepOutcome::*field) {
  std::vector<double> values;
  for (const auto& outcome : row.outcomes)
    if (outcome && outcome->diverged.empty()) values.push_back((*outcome).*field);
  return values;
}

std::optional<double> mean_bits(const SweepRow& row) {
  std::vector<double> values;
  for (const auto& outcome : row.outcomes)
    if (outcome && outcome->bits_per_byte) values.push_back(*outcome->bits_per_byte);
  return values.empty() ? std::nullopt : std::optional(spread_of(values).mean);
}

bool any_diverged(const SweepRow& row) {
  return std::any_of(row.outcomes.begin(), row.outcomes.end(), [](const auto& o) { return o && !o->diverged.empty(); });
}

std::string table_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

}  // namespace

SweepTable::SweepTable(const SweepPlan& plan, const SweepFile& file, TextTask task)
    : task_(task),
      seeds_(plan.request().grid.seeds),
      search_seeds_(plan.request().search_seeds),
      edges_(plan.edges()),
      widen_(plan.request().widen) {
  if (plan.best()) best_ = plan.name(*plan.best());
  for (const bool third : {true, false})
    for (const std::size_t configuration : plan.ranking(third)) {
      SweepRow& row = (third ? third_ : full_).emplace_back();
      row.name = plan.name(configuration);
      row.best = !third && best_ == row.name;
      for (const std::int64_t seed : seeds_) {
        const auto found = file.outcomes().find(plan.name(SweepRun{configuration, third, seed}));
        row.outcomes.push_back(found == file.outcomes().end() ? std::nullopt : std::optional(found->second));
      }
    }
}

std::string SweepTable::markdown(const std::vector<SweepRow>& rows, const std::string& heading) const {
  const bool lm = task_ == TextTask::Lm;
  const auto field = lm ? &SweepOutcome::loss : &SweepOutcome::metric;
  const int digits = lm ? 4 : 1;
  std::size_t columns = 0;  // the largest number of seeds of any row
  for (std::size_t i = 0; i < seeds_.size(); ++i)
    if (std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) { return row.outcomes[i].has_value(); })) columns = i + 1;
  std::vector<std::string> head = {heading}, rule = {"---"};
  for (std::size_t i = 0; i < columns; ++i) head.push_back(fmt::format("seed {}", seeds_[i]));
  head.push_back("mean");
  if (columns > 1) head.push_back("95 %");
  if (lm) head.push_back("perplexity");
  const bool bits = std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) { return mean_bits(row).has_value(); });
  if (bits) head.push_back("bits per byte");
  rule.resize(head.size(), "---:");
  head.push_back("");
  rule.push_back("---");
  std::string text = table_line(head) + "|";
  for (const std::string& cell : rule) text += cell + "|";
  text += "\n";
  for (const SweepRow& row : rows) {
    std::vector<std::string> cells = {row.name};
    for (std::size_t i = 0; i < columns; ++i)
      cells.push_back(!row.outcomes[i]                     ? "-"
                      : !row.outcomes[i]->diverged.empty() ? "diverged"
                                                           : fmt::format("{:.{}f}", (*row.outcomes[i]).*field, digits));
    const std::vector<double> values = any_diverged(row) ? std::vector<double>() : values_of(row, field);
    const PairedDifference mean = compare_pairs({values}).front();
    cells.push_back(values.empty() ? "-" : fmt::format("{:.{}f}", mean.mean, digits));
    if (columns > 1) cells.push_back(mean.low ? fmt::format("[{:.{}f}, {:.{}f}]", *mean.low, digits, *mean.high, digits) : "-");
    if (lm) cells.push_back(values.empty() ? "-" : fmt::format("{:.2f}", std::exp(mean.mean)));
    if (bits) cells.push_back(values.empty() || !mean_bits(row) ? "-" : fmt::format("{:.4f}", *mean_bits(row)));
    cells.push_back(row.best ? "best" : "");
    text += table_line(cells);
  }
  return text;
}

std::string SweepTable::conclusion() const {
  std::string text, names;
  std::size_t runs = 0, diverged = 0;
  for (const auto* rows : {&third_, &full_})
    for (const SweepRow& row : *rows) {
      std::size_t here = 0;
      for (const auto& outcome : row.outcomes)
        if (outcome) ++runs, here += outcome->diverged.empty() ? 0 : 1;
      if (here > 0) names += (names.empty() ? "" : "; ") + row.name + (rows == &third_ ? ", a third of the length" : "");
      diverged += here;
    }
  if (diverged > 0)
    text = fmt::format("{} of {} diverged, and configurations with such runs rank last: {}.\n", diverged,
                       counted(static_cast<std::int64_t>(runs), "run"), names);
  if (!best_) return text + "No configuration finished with finite numbers.\n";
  if (search_seeds_ < seeds_.size() && full_.size() > 1)
    text +=
        fmt::format("Configurations are compared by {}; only the best was trained with the other seeds.\n",
                    search_seeds_ == 1 ? fmt::format("seed {}", seeds_.front()) : fmt::format("the first {} seeds", search_seeds_));
  for (const GridEdge& edge : edges_)
    text += fmt::format("Warning: the best {}, {}, is the {} of those tried: {} values may be better{}.\n", edge.key, edge.value,
                        edge.upper ? "highest" : "lowest", edge.upper ? "higher" : "lower",
                        widen_ ? "" : "; `widen` extends the list on that side");
  return in_options(text);
}

std::string SweepTable::markdown() const {
  const std::string what = task_ == TextTask::Lm ? "validation loss" : "accuracy, %";
  std::string text;
  if (!third_.empty()) text += markdown(third_, what + ", a third of the length") + "\n";
  if (!full_.empty()) text += markdown(full_, what) + "\n";
  return text + conclusion();
}

nlohmann::ordered_json SweepTable::json() const {
  const auto rows_of = [&](const std::vector<SweepRow>& rows) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SweepRow& row : rows) {
      nlohmann::ordered_json entry = {{"configuration", row.name}, {"best", row.best}};
      nlohmann::ordered_json runs = nlohmann::ordered_json::array();
      for (std::size_t i = 0; i < seeds_.size(); ++i) {
        if (!row.outcomes[i]) continue;
        nlohmann::ordered_json run = {{"seed", seeds_[i]}};
        const SweepOutcome& outcome = *row.outcomes[i];
        if (!outcome.diverged.empty()) {
          run["diverged"] = outcome.diverged;
        } else {
          run["loss"] = outcome.loss;
          run[task_ == TextTask::Lm ? "perplexity" : "accuracy"] = outcome.metric;
          if (outcome.bits_per_byte) run["bits_per_byte"] = *outcome.bits_per_byte;
        }
        runs.push_back(std::move(run));
      }
      entry["runs"] = std::move(runs);
      if (!any_diverged(row)) {
        const PairedDifference mean = compare_pairs({values_of(row, &SweepOutcome::loss)}).front();
        if (mean.pairs > 0) entry["mean_loss"] = mean.mean;
        if (mean.low) entry["interval"] = {*mean.low, *mean.high};
      }
      list.push_back(std::move(entry));
    }
    return list;
  };
  nlohmann::ordered_json json;
  json["best"] = best_ ? nlohmann::ordered_json(*best_) : nlohmann::ordered_json();
  json["edges"] = nlohmann::ordered_json::array();
  for (const GridEdge& edge : edges_)
    json["edges"].push_back({{"key", edge.key}, {"value", edge.value}, {"side", edge.upper ? "upper" : "lower"}});
  if (!third_.empty()) json["third"] = rows_of(third_);
  json["full"] = rows_of(full_);
  return json;
}

}  // namespace argand
