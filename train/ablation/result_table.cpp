#include "train/ablation/result_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "core/machine/json.h"
#include "core/machine/number.h"
#include "core/text/keys.h"
#include "train/ablation/ablation_plan.h"
#include "train/checkpoints/run_folder.h"
#include "train/sweep/sweep_file.h"

namespace argand {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The last component of each path in a comma-separated list: "wikitext-2" for "/data/wikitext-2/".
std::string last_names(const std::string& paths) {
  std::string names;
  for (std::size_t begin = 0; begin <= paths.size();) {
    const std::size_t end = std::min(paths.find(',', begin), paths.size());
    std::string path = paths.substr(begin, end - begin);
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    names += (begin > 0 ? "," : "") + path.substr(path.rfind('/') + 1);
    begin = end + 1;
  }
  return names;
}

/// The result of the learning-rate search in OUT/search/ROW.
RateResults read_rates(const std::string& folder) {
  RateResults rates;
  for (const auto& [name, outcome] : outcomes_in(folder)) {
    constexpr std::string_view third = "third/", rate = "lr=", seed = "/seed-0";
    const bool is_third = name.starts_with(third);
    std::string text = name.substr(is_third ? third.size() : 0);
    if (!text.starts_with(rate) || !text.ends_with(seed) || text.size() <= rate.size() + seed.size()) continue;
    text = text.substr(rate.size(), text.size() - rate.size() - seed.size());
    auto& found = is_third ? rates.third : rates.whole;
    found.emplace_back(text, outcome.diverged.empty() ? std::optional(outcome.metric) : std::nullopt);
  }
  for (auto* list : {&rates.third, &rates.whole})
    std::sort(list->begin(), list->end(), [](const RateResult& a, const RateResult& b) { return a.value() < b.value(); });
  return rates;
}

std::set<std::int64_t> steps_of(const AblationResult& run) {
  std::set<std::int64_t> steps;
  for (const auto& [step, _] : run.training_losses) steps.insert(step);
  return steps;
}

/// The steps at which the curves of all runs have a value.
std::set<std::int64_t> common_steps(const ResultTable& runs) {
  std::optional<std::set<std::int64_t>> common;
  for (const SeedResults& row : runs.results)
    for (const auto& [_, run] : row) {
      const std::set<std::int64_t> steps = steps_of(run);
      if (!common) common = steps;
      std::erase_if(*common, [&](std::int64_t step) { return !steps.contains(step); });
    }
  return common.value_or(std::set<std::int64_t>());
}

void keep_steps(ResultTable& runs, const std::set<std::int64_t>& steps) {
  for (SeedResults& row : runs.results)
    for (auto& [_, run] : row) std::erase_if(run.training_losses, [&](const auto& point) { return !steps.contains(point.first); });
}

template <class T>
void erase_row(std::vector<T>& list, std::size_t row) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(row));
}

void append_row(ResultTable& to, const ResultTable& from, std::size_t row) {
  to.table.rows.push_back(from.table.rows[row]);
  to.results.push_back(from.results[row]);
  to.rates.push_back(from.rates[row]);
  to.settings.push_back(from.settings[row]);
}

std::optional<std::size_t> find_row(const ResultTable& runs, const std::string& name) {
  for (std::size_t row = 0; row < runs.table.rows.size(); ++row)
    if (runs.table.rows[row].name == name) return row;
  return std::nullopt;
}

bool same(const AblationClaim& a, const AblationClaim& b) {
  return a.paper == b.paper && a.better == b.better && a.worse == b.worse && a.within == b.within &&
         a.out_of_reach == b.out_of_reach;
}

ResultTable without_rows(const ResultTable& from) {
  ResultTable empty = from;
  empty.table.rows.clear(), empty.results.clear(), empty.rates.clear(), empty.settings.clear();
  return empty;
}

}  // namespace

double RateResult::value() const {
  double number = 0;
  const char* const end = rate.data() + rate.size();
  return number_from(rate.data(), end, number).ptr == end && std::isfinite(number) ? number : 0;
}

Json without_paths(Json config) {
  for (auto& [key, value] : config.items()) {
    if (value.is_structured()) value = without_paths(value);
    if (!value.is_string()) continue;
    const std::string text = value;
    const bool is_file = key == "data" || key == "init" || key == "tokens" || key == "irw_file";
    if (is_file || text.starts_with("/")) value = last_names(text);
  }
  return config;
}

Json flat_settings(const Json& config) {
  Json flat = Json::object();
  for (const auto& [_, part] : config.items())
    for (const auto& [key, value] : part.items())
      if (key != "seed") flat[key] = value;
  return flat;
}

std::optional<double> rate_of_settings(const Json& settings) {
  const auto found = settings.find("lr");
  return found != settings.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

RunConfig config_of_settings(const Json& settings) {
  const auto word = [&](const char* key) {
    const auto found = settings.find(key);
    require(found != settings.end() && found->is_string(), "config", "{} is missing", key);
    return found->get<std::string>();
  };
  // Finds the section of the configuration that contains a key; a key without a common default belongs to the family.
  const std::string task = word("task");
  Json parts = parse_json("config", RunConfig::resolve({}, {{"family", word("family")}}, task).to_json());
  Json config = {{"model", Json::object()}, {"optimizer", Json::object()}, {"training", {{"seed", 0}}}};
  if (parts.contains("knowledge")) config["knowledge"] = Json::object();
  for (const auto& [key, value] : settings.items()) {
    const auto has_key = [&, &key = key](const auto& part) { return part.contains(key); };
    const auto part = std::find_if(parts.begin(), parts.end(), has_key);
    config[part == parts.end() ? "model" : part.key()][key] = value;
  }
  return RunConfig::from_json(config.dump());
}

Json shared_by_rows(const AblationTable& table, const std::string& out, const std::string& place) {
  const std::string path = out + "/ablation.json";
  if (!fs::exists(path)) input_fail(place, "{} contains no ablation", out);
  Json settings = read_json(path);
  require(settings.is_object(), "ablate", "{} is damaged", path);
  const auto family = settings.find("family");
  const std::string found = family != settings.end() && family->is_string() ? family->get<std::string>() : "nothing";
  if (found != table.family) input_fail(place, "{} contains an ablation of {}, not of {}", out, found, table.family);
  return without_paths(std::move(settings));
}

ResultTable read_result_folder(const AblationTable& table, const std::string& out) {
  ResultTable runs{.table = table, .results = read_results(table, out)};
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string& name = table.rows[row].name;
    runs.rates.push_back(read_rates(out + "/search/" + name));
    Json& settings = runs.settings.emplace_back(Json::object());
    if (!runs.results[row].empty()) {
      const std::string folder = folder_of_run(out, name, runs.results[row].begin()->first);
      settings = flat_settings(without_paths(read_json(RunFolder(folder).file("config.json"))));
    }
    runs.rates.back().trained = rate_of_settings(settings);
  }
  if (Json asked = read_json(out + "/ablation.json"); asked.is_object()) {
    asked.erase("family");
    runs.asked = without_paths(std::move(asked));
  }
  return runs;
}

ResultTable with_rows(const ResultTable& from, const std::vector<std::string>& wanted, const std::string& holder) {
  const AblationTable selected = with_rows(from.table, wanted, "", holder);
  ResultTable runs = without_rows(from);
  for (const AblationRow& row : selected.rows) append_row(runs, from, *find_row(from, row.name));
  return runs;
}

ResultTable against_row(const ResultTable& rows, const ResultTable& other, const std::string& row, const std::string& place) {
  const auto at = find_row(other, row);
  if (!at) {
    std::vector<std::string> known;
    for (const AblationRow& one : other.table.rows) known.push_back(one.name);
    input_fail(place, "no row is named \"{}\"; rows: {}{}", row, fmt::join(known, ", "), did_you_mean(row, known));
  }
  ResultTable runs = without_rows(rows);
  append_row(runs, other, *at);
  for (std::size_t i = 0; i < rows.table.rows.size(); ++i) {
    for (const char* key : {"task", "data", "split", "tokens", "vocab_size", "eval_protocol", "eval_batches", "test_articles"}) {
      const Json a = rows.settings[i].value(key, Json()), b = other.settings[*at].value(key, Json());
      if (a != b)
        input_fail(place, "{} cannot be compared: its {} is {}, that of {} is {}", row, key, b.dump(), rows.table.rows[i].name,
                   a.dump());
    }
    if (&rows != &other || i != *at) append_row(runs, rows, i);
  }
  runs.table.claims.clear(), runs.table.note.clear();
  return runs;
}

ResultTable joined(const ResultTable& before, ResultTable now, const std::string& place) {
  const auto differ = [&](const char* what, const std::string& kept, const std::string& is) {
    if (kept != is) input_fail(place, "{} of the kept rows and of the new ones differ: {}; {}", what, kept, is);
  };
  differ("the families", before.table.family, now.table.family);
  differ("the tasks", before.table.task, now.table.task);
  differ("the sources", before.table.source, now.table.source);
  if (nlohmann::json(before.asked) != nlohmann::json(now.asked)) differ("the settings", before.asked.dump(), now.asked.dump());
  if (before.costs != now.costs) input_fail(place, "costs and results cannot be kept in one file");
  const std::set<std::int64_t> steps = common_steps(before);
  for (std::size_t row = 0; row < now.results.size(); ++row)
    for (const auto& [seed, run] : now.results[row]) {
      const std::set<std::int64_t> logged = steps_of(run);
      if (!std::includes(logged.begin(), logged.end(), steps.begin(), steps.end()))
        input_fail(place, "{}, seed {}, did not log all the steps of the kept curves", now.table.rows[row].name, seed);
    }
  keep_steps(now, steps);

  ResultTable all = before;
  for (std::size_t row = 0; row < now.table.rows.size(); ++row) {
    if (now.results[row].empty()) continue;
    const auto at = find_row(all, now.table.rows[row].name);
    if (!at) {
      append_row(all, now, row);
      continue;
    }
    all.table.rows[*at] = now.table.rows[row];
    all.results[*at] = now.results[row];
    all.rates[*at] = now.rates[row];
    all.settings[*at] = now.settings[row];
  }
  for (const AblationClaim& claim : now.table.claims)
    if (std::none_of(all.table.claims.begin(), all.table.claims.end(), [&](const AblationClaim& one) { return same(one, claim); }))
      all.table.claims.push_back(claim);
  for (const std::string& setting : now.table.interventions)
    if (std::find(all.table.interventions.begin(), all.table.interventions.end(), setting) == all.table.interventions.end())
      all.table.interventions.push_back(setting);
  if (!now.table.note.empty()) all.table.note = now.table.note;
  if (!now.table.costs.empty()) all.table.costs = now.table.costs;
  return all;
}

void reduce(ResultTable& runs) {
  for (std::size_t row = runs.table.rows.size(); row-- > 0;)
    if (runs.results[row].empty()) {
      erase_row(runs.table.rows, row), erase_row(runs.results, row);
      erase_row(runs.rates, row), erase_row(runs.settings, row);
    }
  const std::set<std::int64_t> common = common_steps(runs);
  const std::vector<std::int64_t> all(common.begin(), common.end());
  const std::size_t most = runs.table.task == "lm" ? 160 : 80, every = std::max<std::size_t>(1, (all.size() + most - 2) / most);
  std::set<std::int64_t> steps;
  for (std::size_t i = all.size(); i > 0; i -= std::min(i, every)) steps.insert(all[i - 1]);
  if (!all.empty()) steps.insert(all.front());
  keep_steps(runs, steps);
}

}  // namespace argand
