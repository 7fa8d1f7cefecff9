#include "train/ablation/ablation_result.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/machine/json.h"
#include "train/checkpoints/checkpoint.h"
#include "train/checkpoints/jsonl.h"
#include "train/checkpoints/run_folder.h"
#include "train/evaluation/median.h"

namespace argand {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::optional<RunConfig> config_of(const RunFolder& run) {
  std::ifstream file(run.file("config.json"), std::ios::binary);
  if (!file) return std::nullopt;
  return RunConfig::from_json(std::string(std::istreambuf_iterator<char>(file), {}));
}

double number(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : 0;
}

/// The values of learned parameters in a log line: every key except the usual ones.
Json diagnostics_of(const Json& step) {
  constexpr std::array<std::string_view, 9> usual = {
      "step", "loss", "lr", "grad_norm", "auxiliary", "tokens_per_second", "seconds", "flops", "peak_memory"};
  Json found = Json::object();
  for (const auto& [key, value] : step.items())
    if (std::find(usual.begin(), usual.end(), key) == usual.end()) found[key] = value;
  return found;
}

/// The values collected while reading the log once.
struct Read {
  Json last_validation, made_by, learnt;
  std::int64_t last_step = 0, since_best = 0;
  std::vector<double> speeds;
  double flops = 0, tokens = 0, steps_with_flops = 0, peak_memory = 0;
  std::map<std::int64_t, double> losses;

  explicit Read(const std::string& log) {
    for_each_line(log, [&](Json line, std::int64_t) {
      if (line.is_null()) return;
      last_step = std::max(last_step, line["step"].get<std::int64_t>());
      if (const auto by = line.find("made_by"); by != line.end()) {
        const Json before = made_by;
        made_by = *by;
        if (!made_by.contains("parameters") && before.contains("parameters")) made_by["parameters"] = before["parameters"];
      }
      if (line.contains("loss")) read_step(line), learnt = diagnostics_of(line);
      if (line.contains("valid_loss")) {
        since_best = line.value("best", Json()) == true ? 0 : since_best + 1;
        last_validation = std::move(line);
      }
    });
  }

  void read_step(const Json& line) {
    if (line["loss"].is_number()) losses[line["step"]] = line["loss"];
    const double speed = number(line, "tokens_per_second");
    if (speed > 0) speeds.push_back(speed);
    if (const double products = number(line, "flops"); products > 0) {
      flops += products;
      ++steps_with_flops;
      tokens += std::round(speed * number(line, "seconds"));
    }
    peak_memory = std::max(peak_memory, number(line, "peak_memory"));
  }
};

/// Whether the run has ended. A checkpoint, if there is one, decides: steps logged after it will be repeated.
bool ended(const RunFolder& run, const RunConfig& config, const Read& log) {
  if (fs::exists(run.last())) {
    const Checkpoint last(run.last());
    return has_ended(last.config(), last.state());
  }
  if (log.last_validation.is_null() || log.last_validation["step"] != log.last_step) return false;
  const TrainingConfig& t = config.training;
  return log.last_step >= t.steps || (t.early_stop > 0 && log.since_best >= t.early_stop);
}

}  // namespace

std::string folder_of_run(const std::string& out, const std::string& row, std::int64_t seed) {
  return fmt::format("{}/{}/seed-{}", out, row, seed);
}

nlohmann::ordered_json read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return file.bad() || text.empty() ? Json() : try_parse_json(text);
}

std::optional<AblationResult> read_result(const std::string& folder) {
  const RunFolder run(folder);
  const std::optional<RunConfig> config = config_of(run);
  if (!config) return std::nullopt;
  Read log(run.log());
  if (!ended(run, *config, log)) return std::nullopt;
  const Json& line = log.last_validation;
  require(line.is_object() && line["step"] == log.last_step && line["valid_loss"].is_number(), "ablate",
          "{} has no validation for its last step", run.log());
  AblationResult result;
  result.loss = line["valid_loss"].get<double>();
  const bool labels = line.contains("valid_accuracy");
  if (labels) result.accuracy = number(line, "valid_accuracy");
  result.metric = labels ? 100 * *result.accuracy : std::exp(result.loss);
  if (line.contains("valid_bits_per_byte")) result.bits_per_byte = number(line, "valid_bits_per_byte");
  result.count = static_cast<std::int64_t>(number(line, labels ? "valid_articles" : "valid_tokens"));
  if (log.speeds.size() > 6) log.speeds.erase(log.speeds.begin(), log.speeds.begin() + 3);
  result.tokens_per_second = median(log.speeds);
  if (log.tokens > 0) result.flops_per_token = log.flops / log.tokens;
  if (log.steps_with_flops > 0) result.flops_per_step = log.flops / log.steps_with_flops;
  result.training_losses = std::move(log.losses);
  result.peak_memory = static_cast<std::int64_t>(log.peak_memory);
  if (const Json timed = read_json(run.latency()); timed.is_object()) {
    result.milliseconds_per_token = number(timed, "milliseconds_per_token");
    result.milliseconds_to_first_token = number(timed, "milliseconds_to_first_token");
    result.timed_by = timed.value("made_by", Json());
  }
  result.made_by = log.made_by;
  result.learnt = log.learnt;
  if (result.made_by.is_object()) result.parameters = static_cast<std::int64_t>(number(result.made_by, "parameters"));
  return result;
}

std::int64_t count_parameters_of_run(const std::string& folder) {
  const std::optional<RunConfig> config = config_of(RunFolder(folder));
  require(config.has_value(), "ablate", "{} has no config.json", folder);
  const auto model = make_model<float>(config->model, static_cast<std::uint64_t>(config->training.seed));
  return count_parameters(model->parameters());
}

std::vector<std::int64_t> seeds_of_row(const std::string& row_folder) {
  std::vector<std::int64_t> seeds;
  std::error_code error;
  for (fs::directory_iterator it(row_folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string(), before = "seed-";
    std::int64_t seed = 0;
    const char* const last = name.data() + name.size();
    if (!it->is_directory() || !name.starts_with(before) || name.size() == before.size()) continue;
    if (std::from_chars(name.data() + before.size(), last, seed).ptr == last && seed >= 0) seeds.push_back(seed);
  }
  std::sort(seeds.begin(), seeds.end());
  return seeds;
}

std::vector<SeedResults> read_results(const AblationTable& table, const std::string& out) {
  std::vector<SeedResults> results;
  for (const AblationRow& row : table.rows) {
    SeedResults& of_row = results.emplace_back();
    std::int64_t parameters = 0;  // the same for every seed
    for (const std::int64_t seed : seeds_of_row(out + "/" + row.name))
      if (auto result = read_result(folder_of_run(out, row.name, seed))) {
        if (result->parameters > 0) parameters = result->parameters;
        result->probes = read_probes(folder_of_run(out, row.name, seed), table.interventions);
        of_row.emplace(seed, std::move(*result));
      }
    if (of_row.empty()) continue;
    if (parameters == 0) parameters = count_parameters_of_run(folder_of_run(out, row.name, of_row.begin()->first));
    for (auto& [_, result] : of_row) result.parameters = parameters;
  }
  return results;
}

}  // namespace argand
