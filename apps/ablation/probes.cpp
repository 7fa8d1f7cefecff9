#include "apps/ablation/probes.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "apps/ablation/ablation_report.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/counter.h"
#include "apps/terminal/option_names.h"
#include "apps/terminal/terminal.h"
#include "core/text/text_layout.h"
#include "data/files/atomic_file.h"
#include "nn/family.h"
#include "train/ablation/ablation_result.h"
#include "train/checkpoints/run_folder.h"
#include "train/data/corpora.h"
#include "train/data/retriever.h"
#include "train/evaluation/generation_quality.h"
#include "train/evaluation/position_loss.h"
#include "train/evaluation/text_metrics.h"

namespace argand {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool has_numbers(const Json& object, std::initializer_list<const char*> keys) {
  return object.is_object() &&
         std::all_of(keys.begin(), keys.end(), [&](const char* key) { return object.contains(key) && object[key].is_number(); });
}

/// Whether the file has everything that the tables need.
bool is_written(const Json& probe) {
  return has_numbers(probe, {"step", "prompts", "prompt_length", "tokens", "top_p", "temperature"}) &&
         probe.contains("token_kind") && probe.contains("model") && has_numbers(probe["model"], {"dist_1", "dist_2", "rep_4"}) &&
         probe.contains("texts") && probe["texts"].is_array();
}

bool is_positions(const Json& probe) {
  return has_numbers(probe, {"step", "length", "trained_length"}) && probe.contains("positions") &&
         std::all_of(probe["positions"].begin(), probe["positions"].end(), [](const Json& span) {
           return has_numbers(span, {"first", "last", "loss"});
         });
}

bool is_evaluation(const Json& probe) { return has_numbers(probe, {"step", "count", "loss"}); }

bool is_exchanged(const Json& probe) {
  return is_evaluation(probe) && probe.contains("exchanged") && has_numbers(probe["exchanged"], {"loss"});
}

bool is_audit(const Json& probe) {
  return has_numbers(probe, {"step", "batches", "windows", "reads", "pairs", "violations"}) && probe.contains("exclusion") &&
         probe["exclusion"] == true;
}

/// Null if there is none.
Json read_probe(const std::string& path, bool (*is_one)(const Json&)) {
  Json found = read_json(path);
  require(found.is_null() || is_one(found), "ablate", "{} is damaged; remove it, and --probe will recreate it", path);
  return found;
}

RunFolder run_of(const std::string& out, const AblationRow& row, std::int64_t seed) {
  return RunFolder(folder_of_run(out, row.name, seed));
}

using SeedProbes = std::map<std::int64_t, Json>;

/// For each row, the contents of that file of its runs.
std::vector<SeedProbes> read_probes(const AblationTable& table, const std::string& out, std::string (RunFolder::*file)() const,
                                    bool (*is_one)(const Json&)) {
  std::vector<SeedProbes> found;
  for (const AblationRow& row : table.rows) {
    SeedProbes& of_row = found.emplace_back();
    for (const std::int64_t seed : seeds_of_row(out + "/" + row.name))
      if (Json probe = read_probe((run_of(out, row, seed).*file)(), is_one); probe.is_object())
        of_row.emplace(seed, std::move(probe));
  }
  return found;
}

bool any(const std::vector<SeedProbes>& probes) {
  return std::any_of(probes.begin(), probes.end(), [](const SeedProbes& p) { return !p.empty(); });
}

std::vector<double> numbers(const SeedProbes& probes, const std::function<Json(const Json&)>& f) {
  std::vector<double> found;
  for (const auto& [_, probe] : probes)
    if (const Json value = f(probe); value.is_number()) found.push_back(value.get<double>());
  return found;
}

/// Texts of words [B, N] as token ids of the judge.
Ids ids_of(const Json& texts, std::int64_t prompt_length, const TrainedRun& judge, const std::string& path) {
  std::vector<std::int32_t> ids;
  for (const Json& text : texts) {
    std::istringstream words(text.get<std::string>());
    for (std::string word; std::getline(words, word, ' ');) ids.push_back(judge.words().id(word));
  }
  const auto B = static_cast<std::int64_t>(texts.size()), all = static_cast<std::int64_t>(ids.size());
  require(B > 0 && all % B == 0 && all / B > prompt_length, "ablate",
          "{}: the texts differ in length, or are no longer than their prompts", path);
  return {Shape{B, all / B}, std::move(ids)};
}

/// The text that the judge was trained on, in all parts; nothing if it is no longer available.
std::optional<Corpus> text_of(const TrainedRun& judge) {
  try {
    return open_corpus(judge.checkpoint.config(), judge.tokens);
  } catch (const Error& e) {
    fmt::print(stderr, "argand: no text to compare with: cannot read the data: {}\n", in_options(e));
    return std::nullopt;
  }
}

/// How the corpus itself continues the prompts of the texts [B, N]; nothing if they come from another text.
std::optional<Ids> originals_of(const Json& probe, const Ids& texts, const Corpus& corpus) {
  const std::string name = probe.value("part", "");
  const Ids& part = name == "test part" ? corpus.test : name == "valid part" ? corpus.valid : corpus.train;
  const std::int64_t B = texts.shape()[0], N = texts.shape()[1], from = probe["prompt_length"].get<std::int64_t>();
  if (part.size() < N) return std::nullopt;
  Ids originals = original_texts(part, {.judge = "", .prompts = B, .prompt_length = from, .tokens = N - from});
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t t = 0; t < from; ++t)
      if (originals[b * N + t] != texts[b * N + t]) return std::nullopt;
  return originals;
}

std::string texts_table(const AblationTable& table, const std::vector<SeedProbes>& probes) {
  std::string judge, settings;
  std::vector<std::vector<double>> differences;
  for (std::size_t row = 0; row < probes.size(); ++row) {
    std::vector<double> of_row;
    for (const auto& [seed, probe] : probes[row]) {
      if (probe.contains("judge")) judge = probe["judge"].get<std::string>();
      settings = fmt::format("{} texts of {} words after prompts of {}, nucleus {:g}, temperature {:g}",
                             probe["prompts"].get<int>(), probe["tokens"].get<int>(), probe["prompt_length"].get<int>(),
                             probe["top_p"].get<double>(), probe["temperature"].get<double>());
      const auto other = probes[0].find(seed);
      if (row > 0 && other != probes[0].end() && probe["model"].contains("loss") && other->second["model"].contains("loss"))
        of_row.push_back(probe["model"]["loss"].get<double>() - other->second["model"]["loss"].get<double>());
    }
    if (row > 0) differences.push_back(std::move(of_row));
  }
  const std::vector<PairedDifference> compared = compare_pairs(differences);
  std::string text = fmt::format(
      "| row | perplexity under the judge | against {} | Dist-1 | Dist-2 | Rep-4, % |\n|---|---:|---:|---:|---:|---:|\n",
      table.rows[0].name);
  for (std::size_t row = 0; row < probes.size(); ++row) {
    if (probes[row].empty()) continue;
    const auto figure = [&](const char* key, double unit) {
      return numbers(probes[row], [&](const Json& p) { return Json(unit * p["model"][key].get<double>()); });
    };
    const std::vector<double> perplexity = numbers(probes[row], [](const Json& p) {
      return p["model"].contains("loss") ? Json(std::exp(p["model"]["loss"].get<double>())) : Json();
    });
    std::string against = "-";
    if (row > 0 && compared[row - 1].pairs > 0) against = difference_text(compared[row - 1], true);
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", table.rows[row].name, mean_and_deviation(perplexity),
                        row == 0 ? "" : against, mean_and_deviation(figure("dist_1", 1), 3),
                        mean_and_deviation(figure("dist_2", 1), 3), mean_and_deviation(figure("rep_4", 100), 1));
  }
  const Json* corpus = nullptr;  // the original continuations in the corpus
  for (const SeedProbes& row : probes)
    for (const auto& [_, probe] : row)
      if (probe.contains("corpus")) corpus = &probe["corpus"];
  if (corpus != nullptr && has_numbers(*corpus, {"dist_1", "dist_2", "rep_4"}))
    text +=
        fmt::format("| *the text itself* | {} |  | {:.3f} | {:.3f} | {:.1f} |\n",
                    has_numbers(*corpus, {"loss"}) ? fmt::format("{:.1f}", std::exp((*corpus)["loss"].get<double>())) : "",
                    (*corpus)["dist_1"].get<double>(), (*corpus)["dist_2"].get<double>(), 100 * (*corpus)["rep_4"].get<double>());
  const std::string judged = judge.empty() ? "Not judged yet; add --judge RUN." : "The judge is " + judge + ".";
  return text + "\n" + paragraph(settings + ", the seed of the run. " + judged);
}

std::string positions_table(const AblationTable& table, const std::vector<SeedProbes>& probes) {
  std::int64_t longest = 0, trained = 0;
  bool some_end = false;  // where training windows ended
  for (const SeedProbes& row : probes)
    for (const auto& [_, probe] : row) {
      longest = std::max(longest, probe["length"].get<std::int64_t>());
      trained = probe["trained_length"].get<std::int64_t>();
      some_end |= probe["length"] == probe["trained_length"];
    }
  const std::vector<PositionLoss> spans = spans_of_positions(longest);
  std::string head = "| row |", rule = "|---|", rows;
  for (const PositionLoss& span : spans) head += fmt::format(" {}-{} |", span.first, span.last), rule += "---:|";
  for (std::size_t row = 0; row < probes.size(); ++row) {
    if (probes[row].empty()) continue;
    rows += "| " + table.rows[row].name + " |";
    for (const PositionLoss& span : spans)
      rows += " " +
              mean_and_deviation(numbers(probes[row],
                                         [&](const Json& probe) {
                                           for (const Json& found : probe["positions"])
                                             if (found["first"] == span.first) return Json(std::exp(found["loss"].get<double>()));
                                           return Json();
                                         })) +
              " |";
    rows += "\n";
  }
  return head + "\n" + rule + "\n" + rows + "\n" +
         paragraph(fmt::format(
                       "Perplexity of the test part by the number of preceding tokens in the window, in windows of {}, for models "
                       "trained on {}.",
                       longest, trained) +
                   (some_end && longest > trained
                        ? fmt::format(" Learned positions end at {0}. A model that has them is measured in windows of {0}, so its "
                                      "columns cover other words than the others.",
                                      trained)
                        : ""));
}

/// For the rows that look things up: whether they read what they are to predict, and what reading is worth.
std::string lookup_table(const AblationTable& table, const std::vector<SeedProbes>& audits,
                         const std::vector<SeedProbes>& exchanges) {
  std::string rows;
  std::int64_t batches = 0, scored = 0;
  for (std::size_t row = 0; row < audits.size(); ++row) {
    if (audits[row].empty() && exchanges[row].empty()) continue;
    std::int64_t pairs = 0, violations = 0;
    for (const auto& [_, audit] : audits[row]) {
      batches = audit["batches"].get<std::int64_t>();
      pairs += audit["pairs"].get<std::int64_t>();
      violations += audit["violations"].get<std::int64_t>();
    }
    std::vector<double> differences;
    for (const auto& [_, probe] : exchanges[row]) {
      scored = probe["count"].get<std::int64_t>();
      differences.push_back(probe["exchanged"]["loss"].get<double>() - probe["loss"].get<double>());
    }
    const auto perplexity = [&](const std::function<Json(const Json&)>& loss) {
      return mean_and_deviation(numbers(exchanges[row], [&](const Json& p) { return Json(std::exp(loss(p).get<double>())); }));
    };
    rows += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", table.rows[row].name,
        audits[row].empty() ? "-" : fmt::format("{} ({})", violations, audits[row].size()),
        audits[row].empty() ? "-" : with_unit(static_cast<double>(pairs)), perplexity([](const Json& p) { return p["loss"]; }),
        perplexity([](const Json& p) { return p["exchanged"]["loss"]; }), difference_text(compare_pairs({differences})[0], true));
  }
  std::string notes;
  if (batches > 0)
    notes = fmt::format(
        "Violations: pairs of a window and a passage read in it that contains the tokens to predict, in all {} batches of the "
        "first epoch of training, as `argand audit retrieval` finds them, of all runs together (how many). ",
        batches);
  if (scored > 0)
    notes += fmt::format(
        "Perplexity: of the {} tokens of the validation part; then with another passage in place of each retrieved one. In square "
        "brackets the 95 % interval of that row alone. A row that uses what it retrieves does worse with other passages.",
        scored);
  return "| row | violations | of pairs | perplexity | with other passages | difference |\n|---|---:|---:|---:|---:|---:|\n" +
         rows + "\n" + paragraph(notes);
}

/// Whether a checkpoint has parameters for all names in "NAME=VALUE,...".
bool has_all_of(const Checkpoint& checkpoint, const std::string& settings) {
  const std::vector<std::string> names = checkpoint.file().names();
  std::istringstream stream(settings);
  for (std::string setting; std::getline(stream, setting, ',');)
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name_ends_with(name, setting.substr(0, setting.find('='))); }))
      return false;
  return true;
}

/// What learnt parameters are worth: how much worse the rows that have them do with a fixed number in their place.
std::string interventions_table(const AblationTable& table, const std::string& out) {
  if (table.interventions.empty()) return "";
  const std::vector<SeedProbes> learnt = read_probes(table, out, &RunFolder::as_learnt, is_evaluation);
  std::string head = "| row |", rule = "|---|", rows;
  for (const std::string& setting : table.interventions) head += fmt::format(" with {}, % |", setting), rule += "---:|";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::string cells;
    bool any_run = false;
    for (const std::string& setting : table.interventions) {
      std::vector<double> percent;
      for (const auto& [seed, before] : learnt[row])
        if (const Json probe = read_probe(run_of(out, table.rows[row], seed).with(setting), is_evaluation); probe.is_object())
          percent.push_back(100 * std::expm1(probe["loss"].get<double>() - before["loss"].get<double>()));
      any_run = any_run || !percent.empty();
      cells += " " + mean_and_deviation(percent) + " |";
    }
    if (any_run) rows += "| " + table.rows[row].name + " |" + cells + "\n";
  }
  if (rows.empty()) return "";
  const std::string note =
      "By how many % the perplexity of the validation part rises when every element of a parameter is set to a value after "
      "training, as `argand eval --set` does.";
  return head + "\n" + rule + "\n" + rows + "\n" + paragraph(note);
}

}  // namespace

std::vector<std::string> next_probe(const AblationTable& table, const std::string& folder, std::int64_t seed) {
  const RunFolder run(folder);
  if (!fs::exists(run.last())) return {};
  const Checkpoint last(run.last());
  // A damaged file is made again, as is one from an earlier step.
  const auto missing = [&](const std::string& path, bool (*is_one)(const Json&)) {
    const Json probe = read_json(path);
    return !is_one(probe) || probe["step"] != last.state().step;
  };
  if (missing(run.written(), is_written))
    return {"eval", run.last(), "--generate", "--seed", fmt::format("{}", seed), "--json", run.written()};
  const RunConfig& config = last.config();
  if (missing(run.positions(), is_positions)) {
    const std::int64_t length = reads_any_length(config.model) ? 8 * config.training.length : config.model.max_seq_len;
    return {"eval", run.last(), "--positions", fmt::format("{}", length), "--json", run.positions()};
  }
  for (const std::string& setting : table.interventions) {
    if (!has_all_of(last, setting)) continue;
    if (missing(run.as_learnt(), is_evaluation)) return {"eval", run.last(), "--split", "valid", "--json", run.as_learnt()};
    if (missing(run.with(setting), is_evaluation))
      return {"eval", run.last(), "--split", "valid", "--set", setting, "--json", run.with(setting)};
  }
  if (config.has_windows() && missing(run.exchanged(), is_exchanged))
    return {"eval", run.last(), "--split", "valid", "--exchange-passages", "--json", run.exchanged()};
  if (config.has_windows() && missing(run.audit(), is_audit)) return {"audit", "retrieval", run.last(), "--json", run.audit()};
  return {};
}

std::int64_t judge_texts(const AblationTable& table, const std::string& out, const TrainedRun& judge) {
  const RunConfig& config = judge.checkpoint.config();
  if (config.model.task != TextTask::Lm)
    input_fail("--judge", "{} is a classifier, not a language model", judge.checkpoint.file().path());
  if (judge.tokens->kind() != "words") input_fail("--judge", "its tokens are {}, not words", plural_of(judge.tokens->kind()));
  std::vector<std::string> paths;
  for (const AblationRow& row : table.rows)
    for (const std::int64_t seed : seeds_of_row(out + "/" + row.name))
      if (const std::string path = run_of(out, row, seed).written(); fs::exists(path)) paths.push_back(path);
  with_precision(config, [&]<class R>(R) {
    const auto model = load_model<R>(judge.checkpoint);
    const OpenRetriever retriever(judge, *model);
    const std::string name = fmt::format("{}, {} of width {}, {} parameters, {} steps", config.model.family().name,
                                         counted(config.model.n_layers, "layer"), config.model.d_model,
                                         count_parameters(model->parameters()), judge.checkpoint.state().step);
    const auto loss_of = [&](const Ids& texts, std::int64_t prompt_length) {
      return negative_log_likelihood<R>(*model, texts, prompt_length, retriever.context());
    };
    const std::optional<Corpus> corpus = paths.empty() ? std::nullopt : text_of(judge);
    std::map<std::vector<std::int32_t>, double> losses_of_originals;
    Counter counter("judging", static_cast<std::int64_t>(paths.size()));
    for (std::size_t i = 0; i < paths.size(); ++i) {
      Json probe = read_probe(paths[i], is_written);
      if (probe["token_kind"] != "words") input_fail("--judge", "the tokens of the texts in {} are not words", paths[i]);
      const auto prompt_length = probe["prompt_length"].get<std::int64_t>();
      const Ids texts = ids_of(probe["texts"], prompt_length, judge, paths[i]);
      const double loss = loss_of(texts, prompt_length);
      const bool as_before = probe.value("judge", "") == name && probe["model"].value("loss", 0.0) == loss;
      probe["model"]["loss"] = loss;
      if (probe.contains("corpus") && !as_before) probe["corpus"].erase("loss");  // another judge's
      const auto originals = corpus ? originals_of(probe, texts, *corpus) : std::nullopt;
      if (originals && probe.contains("corpus")) {  // the same for all seeds and rows: judged once
        const std::span<const std::int32_t> ids = originals->span();
        const auto [known, is_new] = losses_of_originals.try_emplace({ids.begin(), ids.end()});
        if (is_new) known->second = loss_of(*originals, prompt_length);
        probe["corpus"]["loss"] = known->second;
      }
      probe["judge"] = name;
      write_file_atomically(paths[i], probe.dump(1) + "\n");
      counter.update(static_cast<std::int64_t>(i) + 1);
    }
  });
  return static_cast<std::int64_t>(paths.size());
}

std::string probe_tables(const AblationTable& table, const std::string& out) {
  std::string text;
  const auto add = [&](const std::string& found) { text += (text.empty() ? "" : "\n") + found; };
  if (const auto written = read_probes(table, out, &RunFolder::written, is_written); any(written)) add(texts_table(table, written));
  if (const auto positions = read_probes(table, out, &RunFolder::positions, is_positions); any(positions))
    add(positions_table(table, positions));
  const auto audits = read_probes(table, out, &RunFolder::audit, is_audit);
  const auto exchanges = read_probes(table, out, &RunFolder::exchanged, is_exchanged);
  if (const std::string found = interventions_table(table, out); !found.empty()) add(found);
  if (any(audits) || any(exchanges)) add(lookup_table(table, audits, exchanges));
  return text;
}

void write_probe_tables(const AblationTable& table, const std::string& out) {
  if (const std::string text = probe_tables(table, out); !text.empty()) write_file_atomically(out + "/probes.md", text);
}

}  // namespace argand
