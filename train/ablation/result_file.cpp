#include "train/ablation/result_file.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "core/error.h"
#include "core/machine/json.h"
#include "train/ablation/json_reader.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

// Reading.

TextFigures read_figures(JsonReader part) {
  TextFigures figures{.dist_1 = part.number("dist_1"), .dist_2 = part.number("dist_2"), .rep_4 = part.number("rep_4")};
  if (part.has("loss")) figures.loss = part.number("loss");
  part.end();
  return figures;
}

TextProbe read_texts(JsonReader part) {
  TextProbe texts{.prompts = part.whole("prompts"),
                  .prompt_length = part.whole("prompt_length"),
                  .tokens = part.whole("tokens"),
                  .top_p = part.number("top_p"),
                  .temperature = part.number("temperature"),
                  .judge = part.has("judge") ? part.text("judge") : "",
                  .model = read_figures(part.part("model"))};
  if (!part.object("corpus").empty()) texts.corpus = read_figures(part.part("corpus"));
  part.end();
  return texts;
}

PositionProbe read_positions(JsonReader part) {
  PositionProbe positions{.length = part.whole("length"), .trained_length = part.whole("trained_length")};
  for (const Json& span : part.list("losses")) {
    if (!span.is_array() || span.size() != 3 || !span[0].is_number_integer() || !span[1].is_number_integer() ||
        !JsonReader::is_number(span[2]))
      part.fail("losses must be a list of [first, last, loss]");
    positions.spans.push_back({.first = span[0], .last = span[1], .loss = span[2]});
  }
  part.end();
  return positions;
}

ExchangeProbe read_exchange(JsonReader& run) {
  const Json& three = run.list("exchanged");
  if (three.size() != 3 || !three[0].is_number_integer() || !JsonReader::is_number(three[1]) || !JsonReader::is_number(three[2]))
    run.fail("exchanged must be [count, loss, loss with other passages]");
  return {.count = three[0], .loss = three[1], .exchanged = three[2]};
}

AuditProbe read_audit(JsonReader part) {
  const AuditProbe audit{.batches = part.whole("batches"),
                         .windows = part.whole("windows"),
                         .reads = part.whole("reads"),
                         .pairs = part.whole("pairs"),
                         .violations = part.whole("violations")};
  part.end();
  return audit;
}

/// The environment of a run; null in old files.
Json read_made_by(JsonReader& run, const char* key) {
  if (run.any(key).is_null()) return nullptr;
  JsonReader part = run.part(key);
  for (const char* name : {"processor", "blas"})
    if (part.has(name)) part.text(name);
  if (part.has("threads")) part.whole("threads");
  return part.entries();
}

AblationResult read_run(JsonReader& run, bool lm, const std::vector<std::int64_t>& steps) {
  AblationResult result;
  result.loss = run.number("loss");
  if (lm) {
    result.metric = std::exp(result.loss);
    if (run.has("bits")) result.bits_per_byte = run.number("bits");
  } else {
    result.accuracy = run.number("accuracy");
    if (!(*result.accuracy >= 0 && *result.accuracy <= 1)) run.fail("accuracy must be between 0 and 1");
    result.metric = 100 * *result.accuracy;
  }
  if (run.has("count")) result.count = run.whole("count");
  result.made_by = read_made_by(run, "made_by");
  const std::vector<double> curve = run.numbers("curve");
  if (curve.size() != steps.size()) run.fail("curve has {} losses, but there are {} steps", curve.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) result.training_losses[steps[i]] = curve[i];
  result.learnt = run.object("learnt");
  for (const auto& [key, to] : {std::pair("tokens_per_second", &result.tokens_per_second),
                                {"flops_per_step", &result.flops_per_step},
                                {"flops_per_token", &result.flops_per_token},
                                {"milliseconds_per_token", &result.milliseconds_per_token},
                                {"first_token", &result.milliseconds_to_first_token}})
    if (run.has(key)) *to = run.number(key);
  if (run.has("peak_memory")) result.peak_memory = run.whole("peak_memory");
  if (run.has("timed_by")) result.timed_by = read_made_by(run, "timed_by");
  RunProbes& probes = result.probes;
  if (run.has("positions")) probes.positions = read_positions(run.part("positions"));
  if (run.has("texts")) probes.texts = read_texts(run.part("texts"));
  if (run.has("as_learnt")) {
    probes.as_learnt = run.number("as_learnt");
    JsonReader with = run.part("with");
    for (const auto& [setting, _] : with.entries().items()) probes.with.emplace_back(setting, with.number(setting.c_str()));
  }
  if (run.has("exchanged")) probes.exchanged = read_exchange(run);
  if (run.has("audit")) probes.audit = read_audit(run.part("audit"));
  return result;
}

std::vector<RateResult> read_rates(JsonReader part) {
  std::vector<RateResult> rates;
  double before = 0;
  for (const auto& [rate, metric] : part.entries().items()) {
    const auto& found = rates.emplace_back(rate, metric.is_null() ? std::nullopt : std::optional(part.number(rate.c_str())));
    if (!(found.value() > before)) part.fail("the rates must be numbers above 0 in ascending order");
    before = found.value();
  }
  return rates;
}

/// Configuration values; null means that the key is missing.
void require_settings(const JsonReader& place, const Json& settings, bool may_be_null) {
  const auto is_plain = [](const Json& v) { return v.is_string() || v.is_number() || v.is_boolean(); };
  for (const auto& [key, value] : settings.items())
    if (!is_plain(value) && !(value.is_array() && std::all_of(value.begin(), value.end(), is_plain)) &&
        !(may_be_null && value.is_null()))
      place.fail("settings: {} must be text, a number, true or false, or a list of these", key);
}

void read_row(JsonReader& part, ResultTable& runs, const std::vector<std::int64_t>& steps, const Json& common) {
  AblationRow& row = runs.table.rows.emplace_back();
  row.name = part.text("row");
  if (!is_row_name(row.name)) part.fail("\"{}\" cannot name a folder; use letters, digits, - _ . +", row.name);
  for (const AblationRow& other : runs.table.rows)
    if (&other != &row && other.name == row.name) part.fail("the row {} appears twice", row.name);
  row.what = part.text("what");
  row.paper = part.text("paper");
  const std::int64_t parameters = part.whole("parameters");
  const Json& own = part.object("settings");
  require_settings(part, own, true);
  Json& settings = runs.settings.emplace_back(common);
  for (const auto& [key, value] : own.items()) {
    settings[key] = value;
    if (value.is_null()) settings.erase(key);
  }
  RateResults& rates = runs.rates.emplace_back();
  if (part.has("rates")) {
    JsonReader of = part.part("rates");
    rates = {.third = read_rates(of.part("third")), .whole = read_rates(of.part("whole"))};
    of.end();
  }
  rates.trained = rate_of_settings(settings);
  SeedResults& of_row = runs.results.emplace_back();
  for (JsonReader& run : part.parts("runs")) {
    const std::int64_t seed = run.whole("seed");
    AblationResult result = read_run(run, runs.table.task == "lm", steps);
    result.parameters = parameters;
    run.end();
    if (!of_row.emplace(seed, std::move(result)).second) run.fail("seed {} appears twice", seed);
  }
  if (of_row.empty()) part.fail("the row {} has no runs", row.name);
  part.end();
}

AblationClaim read_claim(JsonReader& part) {
  AblationClaim claim{.paper = part.text("paper")};
  if (part.has("better")) claim.better = part.text("better");
  if (part.has("worse")) claim.worse = part.text("worse");
  if (part.has("within")) claim.within = part.number("within");
  if (part.has("out_of_reach")) claim.out_of_reach = part.text("out_of_reach");
  part.end();
  if (claim.out_of_reach.empty() == (claim.better.empty() || claim.worse.empty()))
    part.fail("a claim must name a `better` and a `worse` row, or say why it is out_of_reach");
  return claim;
}

// Writing.

Json rounded(double value, int digits) {
  require(std::isfinite(value), "ablate", "a result is not finite and cannot be saved");
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

Json json_of(const TextFigures& figures) {
  Json json = {
      {"dist_1", rounded(figures.dist_1, 10)}, {"dist_2", rounded(figures.dist_2, 10)}, {"rep_4", rounded(figures.rep_4, 10)}};
  if (figures.loss) json["loss"] = rounded(*figures.loss, 10);
  return json;
}

void add_probes(Json& run, const RunProbes& probes) {
  if (const auto& p = probes.positions) {
    Json& positions = run["positions"] = {{"length", p->length}, {"trained_length", p->trained_length}, {"losses", Json::array()}};
    for (const auto& span : p->spans) positions["losses"].push_back(Json::array({span.first, span.last, rounded(span.loss, 10)}));
  }
  if (const auto& t = probes.texts) {
    Json& texts = run["texts"] = {{"prompts", t->prompts},
                                  {"prompt_length", t->prompt_length},
                                  {"tokens", t->tokens},
                                  {"top_p", t->top_p},
                                  {"temperature", t->temperature}};
    if (!t->judge.empty()) texts["judge"] = t->judge;
    texts["model"] = json_of(t->model);
    texts["corpus"] = t->corpus ? json_of(*t->corpus) : Json::object();
  }
  if (probes.as_learnt) {
    run["as_learnt"] = *probes.as_learnt;
    Json& with = run["with"] = Json::object();
    for (const auto& [setting, loss] : probes.with) with[setting] = loss;
  }
  if (const auto& e = probes.exchanged) run["exchanged"] = Json::array({e->count, e->loss, e->exchanged});
  if (const auto& a = probes.audit)
    run["audit"] = {
        {"batches", a->batches}, {"windows", a->windows}, {"reads", a->reads}, {"pairs", a->pairs}, {"violations", a->violations}};
}

Json json_of(std::int64_t seed, const AblationResult& r) {
  Json run = {{"seed", seed}, {"loss", r.loss}};
  require(std::isfinite(r.loss), "ablate", "a loss is not finite and cannot be saved");
  if (r.accuracy) run["accuracy"] = *r.accuracy;
  if (r.bits_per_byte) run["bits"] = *r.bits_per_byte;
  if (r.count > 0) run["count"] = r.count;
  run["made_by"] = r.made_by;
  Json& curve = run["curve"] = Json::array();
  for (const auto& [_, loss] : r.training_losses) curve.push_back(rounded(loss, 5));
  run["learnt"] = r.learnt.is_object() ? r.learnt : Json::object();
  const auto add = [&](const char* key, double value) {
    if (value > 0) run[key] = rounded(value, 9);
  };
  add("tokens_per_second", r.tokens_per_second);
  add("flops_per_step", r.flops_per_step);
  add("flops_per_token", r.flops_per_token);
  if (r.peak_memory > 0) run["peak_memory"] = r.peak_memory;
  add("milliseconds_per_token", r.milliseconds_per_token);
  add("first_token", r.milliseconds_to_first_token);
  if (!r.timed_by.is_null()) run["timed_by"] = r.timed_by;
  add_probes(run, r.probes);
  return run;
}

Json json_of(const std::vector<RateResult>& rates) {
  Json json = Json::object();
  for (const auto& [rate, metric] : rates) json[rate] = metric ? Json(*metric) : Json();
  return json;
}

/// The settings that differ from those of the first row, by key; null for a key that only the first row has.
Json own_settings(const Json& settings, const Json& common) {
  std::set<std::string> keys;
  for (const Json* all : {&settings, &common})
    for (const auto& [key, _] : all->items()) keys.insert(key);
  Json own = Json::object();
  for (const std::string& key : keys)
    if (const Json value = settings.value(key, Json()); value != common.value(key, Json())) own[key] = value;
  return own;
}

Json json_of(const AblationClaim& claim) {
  Json json = {{"paper", claim.paper}};
  if (!claim.out_of_reach.empty()) return json["out_of_reach"] = claim.out_of_reach, json;
  json["better"] = claim.better, json["worse"] = claim.worse;
  if (claim.within) json["within"] = *claim.within;
  return json;
}

/// Writes JSON on one line. (dump() writes some numbers with 16 digits even if five suffice: 0.6924400000000001 for 0.69244.)
std::string text_of(const Json& value, const char* comma = ", ", const char* colon = ": ") {
  if (value.is_number_float()) {
    const std::string number = fmt::format("{}", value.get<double>());
    return number.find_first_of(".e") == number.npos ? number + ".0" : number;
  }
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, part] : value.items())
    text += (text.empty() ? "" : comma) + (value.is_object() ? Json(key).dump() + colon : "") + text_of(part, comma, colon);
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace

ResultTable parse_results(std::string_view text, const std::string& path) {
  const Json json = try_parse_json(text);
  if (json.is_discarded()) input_fail(path, "is not a JSON file, or is damaged");
  JsonReader all(path, json);
  ResultTable runs;
  AblationTable& table = runs.table;
  table.preset = "small";  // the settings are complete, so the preset adds nothing
  table.family = all.text("family");
  table.task = all.text("task");
  if (table.task != "lm" && table.task != "classify") all.fail("task must be lm or classify, not \"{}\"", table.task);
  if (all.has("measures")) {
    if (all.text("measures") != "costs") all.fail("\"measures\" must be \"costs\" or absent");
    runs.costs = true;
  }
  JsonReader asked = all.part("asked");
  for (const auto& [key, _] : asked.entries().items()) asked.text(key.c_str());
  runs.asked = asked.entries();
  table.source = all.text("source");
  table.note = all.text("note");
  table.costs = all.text("costs");
  const Json& common = all.object("settings");
  require_settings(all, common, false);
  std::vector<std::int64_t> steps;
  for (const Json& step : all.list("steps")) {
    const std::int64_t before = steps.empty() ? 0 : steps.back();
    if (!step.is_number_integer() || step <= before) all.fail("steps must be whole numbers above 0 in ascending order");
    steps.push_back(step);
  }
  for (JsonReader& claim : all.parts("claims")) table.claims.push_back(read_claim(claim));
  for (const Json& setting : all.list("interventions")) {
    if (!setting.is_string()) all.fail("interventions must be strings");
    table.interventions.push_back(setting);
  }
  for (JsonReader& row : all.parts("rows")) read_row(row, runs, steps, common);
  if (table.rows.empty()) all.fail("there are no rows");
  all.end();
  return runs;
}

ResultTable read_result_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.good()) input_fail(path, "cannot be read");
  return parse_results(text, path);
}

std::string result_text(const ResultTable& runs) {
  const AblationTable& table = runs.table;
  require(!table.rows.empty(), "ablate", "there are no results to save");
  Json head = {{"family", table.family}, {"task", table.task}};
  if (runs.costs) head["measures"] = "costs";
  head["asked"] = runs.asked.is_object() ? runs.asked : Json::object();
  head["source"] = table.source, head["note"] = table.note, head["costs"] = table.costs;
  head["settings"] = runs.settings.front();
  Json& steps = head["steps"] = Json::array();
  for (const auto& [step, _] : runs.results.front().begin()->second.training_losses) steps.push_back(step);
  Json& claims = head["claims"] = Json::array();
  for (const AblationClaim& claim : table.claims) claims.push_back(json_of(claim));
  head["interventions"] = table.interventions;

  std::string text = "{", rows;
  for (const auto& [key, value] : head.items()) text += Json(key).dump() + ": " + text_of(value) + ",\n ";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const AblationRow& row = table.rows[i];
    Json json = {{"row", row.name},
                 {"what", row.what},
                 {"paper", row.paper},
                 {"parameters", runs.results[i].begin()->second.parameters},
                 {"settings", own_settings(runs.settings[i], runs.settings.front())}};
    if (const RateResults& rates = runs.rates[i]; !rates.third.empty() || !rates.whole.empty())
      json["rates"] = {{"third", json_of(rates.third)}, {"whole", json_of(rates.whole)}};
    std::string of_row = text_of(json), lines;
    of_row.pop_back();
    for (const auto& [seed, result] : runs.results[i])
      lines += (lines.empty() ? "" : ",\n   ") + text_of(json_of(seed, result), ",", ":");
    rows += fmt::format("{}{}, \"runs\": [\n   {}]}}", rows.empty() ? "" : ",\n  ", of_row, lines);
  }
  return text + "\"rows\": [\n  " + rows + "]}\n";
}

}  // namespace argand
