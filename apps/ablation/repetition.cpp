#include "apps/ablation/repetition.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/ablation/ablation_report.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/option_names.h"
#include "core/machine/json.h"
#include "data/tokens/tokenizer.h"
#include "train/ablation/ablation_plan.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

/// All settings of a configuration, flattened.
Json all_settings(const RunConfig& config) { return flat_settings(parse_json("config", config.to_json())); }

/// The differences between two configurations, except in keys that are allowed to differ: "lr is 0.002, was 0.001".
std::vector<std::string> differences(const Json& before, const Json& now, const std::set<std::string>& may) {
  std::vector<std::string> found;
  for (const auto& [key, is] : now.items())
    if (const auto was = before.find(key); !may.contains(key) && (was == before.end() || *was != is))
      found.push_back(fmt::format("{} is {}, was {}", key, is.dump(), was == before.end() ? "not there" : was->dump()));
  return found;
}

const std::set<std::string> of_a_run = {"data", "keep", "milestone_every"};
const std::set<std::string> of_the_data = {"steps", "tokens", "vocab_size", "n_classes"};

/// A value in the syntax of an option: lists have no brackets.
std::string option_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  const std::string text = value.dump();
  return value.is_array() ? text.substr(1, text.size() - 2) : text;
}

/// The settings of a kept row, without those that follow from its data.
KeyTexts recipe_of_row(const Json& settings, const Json& asked) {
  KeyTexts recipe;
  const bool epochs = settings.value("epochs", 0) > 0;
  for (const auto& [key, value] : settings.items()) {
    if (key == "task" || key == "data" || key == (epochs ? "steps" : "epochs")) continue;
    if ((key == "vocab_size" || key == "n_classes") && !asked.contains(key)) continue;
    recipe.emplace_back(key, option_text(value));
  }
  return recipe;
}

}  // namespace

ResultTable rows_to_repeat(const ResultTable& kept, const std::vector<std::string>& wanted, std::int64_t seeds,
                           const std::string& path) {
  if (kept.costs) input_fail("--repeat", "{} contains only costs, no results", path);
  ResultTable rows = with_rows(kept, wanted, path);
  for (std::size_t i = 0; i < rows.table.rows.size(); ++i) {
    const std::string& name = rows.table.rows[i].name;
    if (rows.results[i].size() < 2)
      input_fail("--repeat", "{} has only one run of {}; at least two are needed to compare seeds", path, name);
    for (std::int64_t seed = 0; seed < seeds; ++seed)
      if (!rows.results[i].contains(seed)) input_fail("--seeds", "{} has no run of {} with seed {}", path, name, seed);
  }
  return rows;
}

Recipe recipe_of(const ResultTable& kept, const std::string& data) {
  Recipe recipe{.table = kept.table, .shared = {}};
  for (const auto& [key, value] : kept.asked.items()) {
    const auto text = value.get<std::string>();
    if (key == "data" && data.empty())
      input_fail("--repeat", "the kept runs were trained on {}; give its folder with --data DIR", text);
    recipe.shared.emplace_back(key, key == "data" ? data : text);
  }
  if (!kept.asked.contains("data") && !data.empty())
    input_fail("--repeat", "the kept runs were trained on the built-in data; leave out --data");
  for (std::size_t i = 0; i < kept.table.rows.size(); ++i) {
    AblationRow& row = recipe.table.rows[i];
    try {
      const Json settings = all_settings(config_of_settings(kept.settings[i]));
      for (const char* key : {"init", "irw_file", "tokens"})
        if (const auto file = settings.find(key); file != settings.end() && !file->get<std::string>().empty())
          if (key != std::string("tokens") || is_token_file(file->get<std::string>()))
            input_fail("--repeat", "the kept runs used {} {}, but only the file's name was kept", option_name(key),
                       file->get<std::string>());
      row.settings = recipe_of_row(settings, kept.asked);
      const std::int64_t seed = kept.results[i].begin()->first;
      const RunConfig now = RunConfig::resolve({}, settings_of_run(recipe.table, row, seed, recipe.shared), kept.table.task);
      std::set<std::string> may = of_a_run;
      may.insert(of_the_data.begin(), of_the_data.end());
      if (const auto found = differences(settings, all_settings(now), may); !found.empty())
        input_fail("--repeat", "this program would train {} differently: {}", row.name, CLI::detail::join(found, "; "));
    } catch (const InputError&) {
      throw;
    } catch (const Error& error) {
      input_fail("--repeat", "this program cannot train {} with its kept settings: {}", row.name, error.what());
    }
  }
  return recipe;
}

bool RepeatedRow::lands() const { return settings.empty() && (same || (within && std::abs(apart) <= *within)); }

Repetition::Repetition(const ResultTable& kept, const ResultTable& now) : lm_(kept.table.task == "lm") {
  std::vector<Spread> spreads;
  for (std::size_t i = 0; i < kept.table.rows.size(); ++i) {
    RepeatedRow& row = rows_.emplace_back();
    row.name = kept.table.rows[i].name;
    const auto measure = [&](const AblationResult& r) { return lm_ ? r.loss : r.metric; };
    std::vector<double> measured, differences_of_pairs;
    for (const auto& [_, result] : kept.results[i]) row.kept.push_back(result.metric), measured.push_back(measure(result));
    spreads.push_back(spread_of(measured));
    row.same = true;
    for (std::size_t k = 0; k < now.table.rows.size(); ++k) {
      if (now.table.rows[k].name != row.name) continue;
      for (const auto& [seed, result] : now.results[k]) {
        const auto pair = kept.results[i].find(seed);
        if (pair == kept.results[i].end()) continue;
        row.kept_again.push_back(pair->second.metric), row.here.push_back(result.metric);
        differences_of_pairs.push_back(measure(result) - measure(pair->second));
        row.same = row.same && result.loss == pair->second.loss && result.metric == pair->second.metric;
      }
      if (!row.here.empty())
        row.settings = differences(all_settings(config_of_settings(kept.settings[i])),
                                   all_settings(config_of_settings(now.settings[k])), of_a_run);
    }
    row.same = row.same && !differences_of_pairs.empty();
    row.apart = spread_of(differences_of_pairs).mean;
    compared_ += !differences_of_pairs.empty() && row.settings.empty();
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].within = means_within(spreads[i], rows_[i].here.size(), compared_);
}

bool Repetition::all_land() const {
  return !rows_.empty() && std::all_of(rows_.begin(), rows_.end(), [](const RepeatedRow& row) { return row.lands(); });
}

std::string Repetition::markdown() const {
  const std::string unit = lm_ ? " %" : "";
  const auto text_of = [&](double d) { return signed_text(to_table_unit(d, lm_)); };
  std::string text =
      fmt::format("| row | kept, {0} | of these seeds | here | apart | other seeds | |\n|---|---:|---:|---:|---:|---:|---|\n",
                  lm_ ? "perplexity" : "accuracy, %");
  std::string notes;
  for (const RepeatedRow& row : rows_) {
    const std::string verdict = row.here.empty()        ? "not trained"
                                : !row.settings.empty() ? "other data"
                                : row.same              ? "the same numbers"
                                : !row.within           ? "not significant"
                                : row.lands()           ? "agrees"
                                                        : "does not agree";
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.name, mean_and_deviation(row.kept),
                        mean_and_deviation(row.kept_again), mean_and_deviation(row.here),
                        row.here.empty() ? "-" : text_of(row.apart) + unit,
                        row.within ? fmt::format("[{}, {}]{}", text_of(-*row.within), text_of(*row.within), unit) : "-", verdict);
    if (!row.settings.empty()) notes += fmt::format("- {}: {}\n", row.name, CLI::detail::join(row.settings, "; "));
  }
  const std::string several = compared_ > 1 ? fmt::format(", Bonferroni for {} rows", compared_) : "";
  text += "\n" +
          paragraph(fmt::format(
              "Apart: {}, here minus kept, mean over the runs with the same seed. Other seeds: the range of this difference, in at "
              "least 95 of 100 such tables, if the new runs had other seeds: ± t s √(2/m), for m new runs and the standard "
              "deviation s of the n kept ones; Student's t with n - 1 degrees of freedom{}. A row within this range agrees. With "
              "the same seed, the same program gives the same numbers on the same kind of processor; on another kind, rounding "
              "differs.",
              lm_ ? "the perplexity, in %" : "the accuracy, in points", several));
  if (!notes.empty()) text += "\n" + notes;
  return text;
}

}  // namespace argand
