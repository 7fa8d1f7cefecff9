#include "train/ablation/ablation_plan.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/ranges.h>
#include "core/text/keys.h"
#include "train/config/run_config.h"

namespace argand {
namespace {

std::optional<std::string> text_of(const KeyTexts& settings, const std::string& wanted) {
  for (const auto& [key, text] : settings)
    if (key == wanted) return text;
  return std::nullopt;
}

/// The names of the rows in `table` that set the key; empty if all rows of the whole table set it to the same value.
std::string rows_with_their_own(const AblationTable& whole, const AblationTable& table, const std::string& key) {
  const auto first = text_of(whole.rows.front().settings, key);
  if (std::all_of(whole.rows.begin(), whole.rows.end(), [&](const AblationRow& r) { return text_of(r.settings, key) == first; }))
    return "";
  std::string names;
  for (const AblationRow& row : table.rows)
    if (text_of(row.settings, key)) names += (names.empty() ? "" : ", ") + row.name;
  return names;
}

KeyTexts requested_settings(const AblationTable& whole, const AblationTable& table, const AblationRequest& request) {
  KeyTexts settings;
  if (!request.data.empty()) settings.push_back({"data", request.data});
  if (request.steps > 0) settings.push_back({"steps", fmt::format("{}", request.steps)});
  if (request.epochs > 0) settings.push_back({"epochs", fmt::format("{}", request.epochs)});
  const KeyTexts options = settings;
  for (const Setting& s : request.settings) {
    if (text_of(options, s.key)) setting_fail(s, "`{}` already sets this key; drop one of them", s.key);
    if (text_of(settings, s.key)) setting_fail(s, "{} is set twice", s.key);
    if (s.key == "seed") setting_fail(s, "every row uses the seeds 0 ... N - 1; `seeds` sets N");
    if (s.key == "family" || s.key == "task") setting_fail(s, "each row sets its own {}", s.key);
    if (const std::string rows = rows_with_their_own(whole, table, s.key); !rows.empty())
      setting_fail(s, "the rows differ in {} ({} set{} it); use `rows` to select others", s.key, rows,
                   rows.find(',') == std::string::npos ? "s" : "");
    settings.push_back({s.key, s.text});
  }
  return settings;
}

}  // namespace

AblationTable with_rows(const AblationTable& table, const std::vector<std::string>& wanted, const std::string& out,
                        const std::string& holder) {
  std::vector<std::string> known;
  for (const AblationRow& row : table.rows) known.push_back(row.name);
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end())
      input_fail("rows", "{} has no row \"{}\"; its rows: {}{}", holder.empty() ? table.family : holder, name,
                 fmt::join(known, ", "), did_you_mean(name, known));
  AblationTable selected = table;
  std::erase_if(selected.rows, [&](const AblationRow& row) {
    if (wanted.empty()) return row.extra && !std::filesystem::exists(out + "/" + row.name);
    return std::find(wanted.begin(), wanted.end(), row.name) == wanted.end();
  });
  return selected;
}

AblationTable with_rows_in(const AblationTable& table, const std::string& out) {
  std::vector<std::string> there;
  for (const AblationRow& row : table.rows)
    if (std::filesystem::exists(out + "/" + row.name)) there.push_back(row.name);
  return with_rows(table, there, out);
}

KeyTexts shared_settings(const AblationTable& whole, const AblationTable& table, const AblationRequest& request) {
  const bool lm = table.task == "lm";
  KeyTexts settings = requested_settings(whole, table, request);
  const auto otherwise = [&](const std::string& key, const std::string& text) {
    if (!text_of(settings, key)) settings.push_back({key, text});
  };
  const bool has_preset = text_of(settings, "preset").has_value();
  for (const auto& [key, text] : request.of_file)
    if (request.steps == 0 || key != "epochs") otherwise(key, text);
  const bool has_length = text_of(settings, "steps") || text_of(settings, "epochs");
  if (request.cost) {
    if (!has_length) otherwise("steps", "12");
    otherwise("eval_batches", "1");
    otherwise("checkpoint_every", "0");
    otherwise("eval_every", "0");
  } else if (lm) {
    if (!has_length && (request.quick || !has_preset)) otherwise("steps", request.quick ? "100" : "500");
    if (!has_preset) otherwise("warmup", "10%");
  } else {
    if (request.quick) otherwise("train_articles", "1000");
    if (!has_length && (request.quick || !has_preset)) otherwise("epochs", request.quick ? "2" : "5");
  }
  // Set explicitly even if it is the default: a folder must not mix results from two protocols.
  if (lm) otherwise("eval_protocol", TrainingConfig().eval_protocol);
  return settings;
}

Settings settings_of_run(const AblationTable& table, const AblationRow& row, std::int64_t seed, const KeyTexts& shared) {
  Settings settings = {{"preset", table.preset}, {"seed", fmt::format("{}", seed)}};
  if (!text_of(shared, "preset")) settings.push_back({"eval_every", "0"});
  for (const KeyTexts* more : {&row.settings, &shared})
    for (const auto& [key, text] : *more) {
      std::erase_if(settings, [&key = key](const Setting& s) { return s.key == key; });
      settings.push_back({key, text});
    }
  return settings;
}

}  // namespace argand
