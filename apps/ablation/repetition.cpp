#include "apps/ablation/repetition.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "apps/ablation/ablation_report.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/option_names.h"
#include "core/machine/json.h"
#include "train/ablation/ablation_plan.h"
#include "train/ablation/kept_runs.h"
#include "train/checkpoints/run_folder.h"
#include "train/config/run_config.h"

namespace argand {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The configuration of a run, with the defaults that old ones leave unsaid.
Json config_of(const std::string& out, const std::string& row, std::int64_t seed) {
  const Json file = read_json(RunFolder(folder_of_run(out, row, seed)).file("config.json"));
  return parse_json("config", RunConfig::from_json(file.dump()).to_json());
}

/// "training.lr is 0.002, was 0.001": the differences between two configurations, except the permitted ones.
void add_differences(const Json& before, const Json& now, const std::set<std::string>& may, const std::string& place,
                     std::vector<std::string>& found) {
  for (const auto& [key, is] : now.items()) {
    const std::string name = place + key;
    const auto was = before.find(key);
    if (may.contains(name)) continue;
    if (was != before.end() && was->is_object() && is.is_object())
      add_differences(*was, is, may, name + ".", found);
    else if (was == before.end() || *was != is)
      found.push_back(fmt::format("{} is {}, was {}", name, is.dump(), was == before.end() ? "not there" : was->dump()));
  }
}

const std::set<std::string> of_a_run = {"training.seed", "training.data", "training.keep", "training.milestone_every"};

}  // namespace

AblationTable kept_rows(const AblationTable& whole, const std::string& kept, const std::vector<std::string>& wanted,
                        std::int64_t seeds) {
  shared_by_rows(whole, kept, "repeat");
  if (fs::exists(kept + "/costs.md") && !fs::exists(kept + "/table.md"))
    input_fail("--repeat", "{} contains only costs, no results", kept);
  AblationTable table = with_rows(with_rows_in(whole, kept), wanted, kept, kept);
  const std::vector<SeedResults> results = read_results(table, kept);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& [name, runs] = std::pair(table.rows[i].name, results[i].size());
    if (runs < 2)
      input_fail("--repeat", "{} has {} of {}; at least two runs are needed to compare seeds", kept,
                 runs == 1 ? "one run" : "no run", name);
    for (std::int64_t seed = 0; seed < seeds; ++seed)
      if (!results[i].contains(seed)) input_fail("--seeds", "{} has no run of {} with seed {}", kept, name, seed);
  }
  return table;
}

KeyTexts recipe_of(const AblationTable& rows, const std::string& kept, const std::string& data) {
  const Json shared = shared_by_rows(rows, kept, "repeat");
  KeyTexts recipe;
  for (const auto& [key, value] : shared.items()) {
    if (key == "family") continue;
    const std::string text = value.get<std::string>();
    if (key == "data" && data.empty())
      input_fail("--repeat", "the kept runs were trained on {}; give its folder with --data DIR", text);
    if (key == "init" || key == "irw_file" || (key == "tokens" && is_token_file(text)))
      input_fail("--repeat", "the kept runs used {} {}, but kept folders do not record its path", option_name(key), text);
    recipe.emplace_back(key, key == "data" ? data : text);
  }
  if (!shared.contains("data") && !data.empty())
    input_fail("--repeat", "the kept runs were trained on the built-in data; leave out --data");
  if (rows.task == "lm" && !shared.contains("eval_protocol"))
    recipe.emplace_back("eval_protocol", "full-blocks");  // as before there was a choice
  for (const AblationRow& row : rows.rows) {
    const std::int64_t seed = seeds_of_row(kept + "/" + row.name).front();
    const RunConfig now = RunConfig::resolve({}, settings_of_run(rows, row, seed, recipe), rows.task);
    std::set<std::string> may = of_a_run;
    may.insert({"training.steps", "training.tokens", "model.vocab_size", "model.n_classes"});  // which the data influence
    std::vector<std::string> differences;
    add_differences(config_of(kept, row.name, seed), parse_json("config", now.to_json()), may, "", differences);
    if (!differences.empty())
      input_fail("--repeat", "this program would train {} differently: {}", row.name, CLI::detail::join(differences, "; "));
  }
  return recipe;
}

bool RepeatedRow::lands() const { return settings.empty() && (same || (within && std::abs(apart) <= *within)); }

Repetition::Repetition(const AblationTable& table, const std::string& kept, const std::string& out) : lm_(table.task == "lm") {
  const std::vector<SeedResults> before = read_results(table, kept), now = read_results(table, out);
  std::vector<Spread> spreads;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    RepeatedRow& row = rows_.emplace_back();
    row.name = table.rows[i].name;
    const auto measure = [&](const AblationResult& r) { return lm_ ? r.loss : r.metric; };
    std::vector<double> measured, differences;
    for (const auto& [_, result] : before[i]) row.kept.push_back(result.metric), measured.push_back(measure(result));
    spreads.push_back(spread_of(measured));
    row.same = true;
    for (const auto& [seed, result] : now[i]) {
      const auto pair = before[i].find(seed);
      if (pair == before[i].end()) continue;
      row.kept_again.push_back(pair->second.metric), row.here.push_back(result.metric);
      differences.push_back(measure(result) - measure(pair->second));
      row.same = row.same && result.loss == pair->second.loss && result.metric == pair->second.metric;
      if (row.settings.empty())
        add_differences(config_of(kept, row.name, seed), config_of(out, row.name, seed), of_a_run, "", row.settings);
    }
    row.same = row.same && !differences.empty();
    row.apart = spread_of(differences).mean;
    compared_ += !differences.empty() && row.settings.empty();
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].within = means_within(spreads[i], rows_[i].here.size(), compared_);
}

bool Repetition::all_land() const {
  return !rows_.empty() && std::all_of(rows_.begin(), rows_.end(), [](const RepeatedRow& row) { return row.lands(); });
}

std::string Repetition::markdown() const {
  const std::string unit = lm_ ? " %" : "";
  const auto text_of = [&](double d) { return signed_text(in_units(d, lm_)); };
  std::string text =
      fmt::format("| row | kept, {0} | of these seeds | here | apart | other seeds | |\n|---|---:|---:|---:|---:|---:|---|\n",
                  lm_ ? "perplexity" : "accuracy, %");
  std::string notes;
  for (const RepeatedRow& row : rows_) {
    const std::string verdict = row.here.empty()        ? "not trained"
                                : !row.settings.empty() ? "other data"
                                : row.same              ? "the same numbers"
                                : !row.within           ? "not significant"
                                : row.lands()           ? "lands"
                                                        : "does not land";
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.name, mean_and_deviation(row.kept),
                        mean_and_deviation(row.kept_again), mean_and_deviation(row.here),
                        row.here.empty() ? "-" : text_of(row.apart) + unit,
                        row.within ? fmt::format("[{}, {}]{}", text_of(-*row.within), text_of(*row.within), unit) : "-", verdict);
    if (!row.settings.empty()) notes += fmt::format("- {}: {}\n", row.name, CLI::detail::join(row.settings, "; "));
  }
  const std::string several = compared_ > 1 ? fmt::format(", Bonferroni for {} rows", compared_) : "";
  text +=
      "\n" + paragraph(fmt::format(
                 "Apart: {}, here minus kept, mean of the runs with the same seed. Other seeds: where that would lie, in at least "
                 "95 of 100 such tables, if the new runs had other seeds: ± t s √(2/m), for m runs and the deviation s of the n "
                 "kept ones; Student's t with n - 1 degrees of freedom{}. A row within that lands. One seed gives the same numbers "
                 "with the same program on the same kind of processor; on another kind, rounding differs.",
                 lm_ ? "the perplexity, in %" : "the accuracy, in points", several));
  if (!notes.empty()) text += "\n" + notes;
  return text;
}

}  // namespace argand
