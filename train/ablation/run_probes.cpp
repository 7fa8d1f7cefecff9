#include "train/ablation/run_probes.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/error.h"
#include "core/machine/json.h"
#include "train/ablation/ablation_result.h"
#include "train/checkpoints/run_folder.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

bool has_numbers(const Json& object, std::initializer_list<const char*> keys) {
  return object.is_object() &&
         std::all_of(keys.begin(), keys.end(), [&](const char* key) { return object.contains(key) && object[key].is_number(); });
}

std::optional<double> number_in(const Json& object, const char* key) {
  return has_numbers(object, {key}) ? std::optional(object[key].get<double>()) : std::nullopt;
}

TextFigures figures_of(const Json& json) {
  return {.dist_1 = json["dist_1"], .dist_2 = json["dist_2"], .rep_4 = json["rep_4"], .loss = number_in(json, "loss")};
}

TextProbe texts_of(const Json& probe) {
  TextProbe texts{.prompts = probe["prompts"],
                  .prompt_length = probe["prompt_length"],
                  .tokens = probe["tokens"],
                  .top_p = probe["top_p"],
                  .temperature = probe["temperature"],
                  .judge = probe.value("judge", ""),
                  .model = figures_of(probe["model"])};
  if (const Json corpus = probe.value("corpus", Json()); has_numbers(corpus, {"dist_1", "dist_2", "rep_4"}))
    texts.corpus = figures_of(corpus);
  return texts;
}

PositionProbe positions_of(const Json& probe) {
  PositionProbe positions{.length = probe["length"], .trained_length = probe["trained_length"]};
  for (const Json& span : probe["positions"])
    positions.spans.push_back({.first = span["first"], .last = span["last"], .loss = span["loss"]});
  return positions;
}

}  // namespace

bool is_written(const Json& probe) {
  return has_numbers(probe, {"step", "prompts", "prompt_length", "tokens", "top_p", "temperature"}) &&
         probe.contains("token_kind") && probe.contains("model") && has_numbers(probe["model"], {"dist_1", "dist_2", "rep_4"}) &&
         probe.contains("texts") && probe["texts"].is_array() && (!probe.contains("judge") || probe["judge"].is_string());
}

bool is_positions(const Json& probe) {
  return has_numbers(probe, {"step", "length", "trained_length"}) && probe.contains("positions") && probe["positions"].is_array() &&
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

Json read_probe(const std::string& path, bool (*is_one)(const Json&)) {
  Json found = read_json(path);
  require(found.is_null() || is_one(found), "ablate", "{} is damaged; remove it and measure again", path);
  return found;
}

RunProbes read_probes(const std::string& folder, const std::vector<std::string>& interventions) {
  const RunFolder run(folder);
  RunProbes probes;
  if (const Json found = read_probe(run.positions(), is_positions); !found.is_null()) probes.positions = positions_of(found);
  if (const Json found = read_probe(run.written(), is_written); !found.is_null()) probes.texts = texts_of(found);
  if (const Json found = read_probe(run.as_learnt(), is_evaluation); !found.is_null()) {
    probes.as_learnt = found["loss"].get<double>();
    for (const std::string& setting : interventions)
      if (const Json set = read_probe(run.with(setting), is_evaluation); !set.is_null())
        probes.with.emplace_back(setting, set["loss"].get<double>());
  }
  if (const Json found = read_probe(run.exchanged(), is_exchanged); !found.is_null())
    probes.exchanged = {.count = found["count"], .loss = found["loss"], .exchanged = found["exchanged"]["loss"]};
  if (const Json found = read_probe(run.audit(), is_audit); !found.is_null())
    probes.audit = {.batches = found["batches"],
                    .windows = found["windows"],
                    .reads = found["reads"],
                    .pairs = found["pairs"],
                    .violations = found["violations"]};
  return probes;
}

}  // namespace argand
