#include "apps/ablation/repetition.h"

#include <algorithm>
#include <cmath>

#include "apps/ablation/ablation_report.h"
#include "apps/ablation/kept_runs.h"
#include "apps/runs/run_folder.h"
#include "apps/terminal/command_line.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

/// What both configurations have, and is not the same, but for the seed and where the data lie.
void add_differences(const Json& before, const Json& now, const std::string& place, std::vector<std::string>& found) {
  for (const auto& [key, was] : before.items()) {
    const auto is = now.find(key);
    const std::string name = place.empty() ? key : place + "." + key;
    if (is == now.end() || name == "training.seed" || name == "training.data") continue;
    if (was.is_object() && is->is_object())
      add_differences(was, *is, name, found);
    else if (was != *is)
      found.push_back(fmt::format("{} is {}, was {}", name, is->dump(), was.dump()));
  }
}

Json config_of(const std::string& out, const std::string& row, std::int64_t seed) {
  return without_paths(read_json(RunFolder(folder_of_run(out, row, seed)).file("config.json")));
}

/// exp(d) - 1 in per cent of losses, or points.
double shown(double difference, bool of_losses) { return of_losses ? 100 * std::expm1(difference) : difference; }

}  // namespace

KeyTexts recipe_of(const std::string& kept, const std::string& family, const std::string& data) {
  const Json shared = shared_by_rows(kept);
  if (!shared.is_object()) usage_fail("--repeat", "{} holds no ablation", kept);
  if (const std::string other = shared.value("family", "nothing"); other != family)
    usage_fail("--repeat", "{} holds an ablation of {}, not of {}", kept, other, family);
  KeyTexts recipe;
  for (const auto& [key, text] : shared.items()) {
    if (key == "family") continue;
    const bool is_data = key == "data";
    if (is_data && data.empty()) usage_fail("--repeat", "the kept runs learned from {}; --data DIR says where it is", text.dump());
    recipe.emplace_back(key, is_data ? data : text.get<std::string>());
  }
  if (!shared.contains("data") && !data.empty())
    usage_fail("--repeat", "the kept runs learned from what is built in; leave out --data");
  return recipe;
}

Repetition::Repetition(const AblationTable& table, const std::string& kept, const std::string& out) : lm_(table.task == "lm") {
  const std::vector<SeedResults> before = read_results(table, kept), now = read_results(table, out);
  const auto tested = std::count_if(before.begin(), before.end(), [](const SeedResults& row) { return row.size() >= 2; });
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    RepeatedRow& row = rows_.emplace_back();
    row.name = table.rows[i].name;
    std::vector<double> of_before, of_now;
    const auto measured = [&](const AblationResult& r) { return lm_ ? r.loss : r.metric; };
    for (const auto& [_, result] : before[i]) row.before.push_back(result.metric), of_before.push_back(measured(result));
    for (const auto& [seed, result] : now[i]) {
      row.now.push_back(result.metric), of_now.push_back(measured(result));
      if (const auto pair = before[i].find(seed); pair != before[i].end())
        row.same_seed = std::max(row.same_seed.value_or(0), std::abs(measured(result) - measured(pair->second)));
    }
    if (of_before.empty() || of_now.empty()) continue;
    row.apart = spread_of(of_now).mean - spread_of(of_before).mean;
    row.reach = new_mean_within(spread_of(of_before), of_now.size(), static_cast<std::size_t>(tested));
    add_differences(config_of(kept, row.name, before[i].begin()->first), config_of(out, row.name, now[i].begin()->first), "",
                    row.settings);
  }
}

bool Repetition::all_land() const {
  return !rows_.empty() && std::all_of(rows_.begin(), rows_.end(), [](const RepeatedRow& row) { return row.lands(); });
}

std::string Repetition::markdown() const {
  const char* unit = lm_ ? " %" : "";
  std::string text = fmt::format("| row | kept, {0} | here, {0} | apart | new runs lie within | same seed, at most | |\n",
                                 lm_ ? "perplexity" : "accuracy, %");
  text += "|---|---:|---:|---:|---:|---:|---|\n";
  std::string notes;
  for (const RepeatedRow& row : rows_) {
    const std::string verdict = row.now.empty()         ? "not trained"
                                : !row.reach            ? "one kept run tells nothing"
                                : !row.settings.empty() ? "another recipe"
                                : row.lands()           ? "lands"
                                                        : "does not land";
    const auto number = [&](std::optional<double> d, const char* form) {
      return d ? fmt::format(fmt::runtime(form), shown(*d, lm_)) + unit : std::string("-");
    };
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.name, mean_and_deviation(row.before),
                        mean_and_deviation(row.now), row.now.empty() ? "-" : number(row.apart, "{:+.1f}"),
                        number(row.reach, "±{:.1f}"), number(row.same_seed, "{:.1f}"), verdict);
    for (const std::string& setting : row.settings) notes += fmt::format("{}: {}\n", row.name, setting);
  }
  text += "\n" + paragraph(fmt::format("Apart: here minus kept, {}. If all runs are drawn alike, every row lies within t s √(1/n + "
                                       "1/m) in 95 of 100 such tables: n runs "
                                       "are kept, with deviation s; m are here; Student's t with n - 1 degrees of freedom, "
                                       "Bonferroni. Two runs of the same seed differ "
                                       "by rounding alone, if program and data are the same; what parts them is another processor, "
                                       "or another number of threads.",
                                       lm_ ? "the perplexity, in %" : "the accuracy, in points"));
  if (!notes.empty()) text += "\n" + notes;
  return text;
}

}  // namespace argand
