#include "train/sweep/sweep_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/machine/json.h"
#include "data/files/atomic_file.h"

namespace argand {
namespace {

namespace fs = std::filesystem;

SweepOutcome outcome_of(const nlohmann::json& json) {
  SweepOutcome outcome;
  if (const auto diverged = json.find("diverged"); diverged != json.end()) {
    outcome.diverged = diverged->get<std::string>();
    return outcome;
  }
  outcome.loss = json.at("loss").get<double>();
  outcome.metric = json.at("metric").get<double>();
  if (json.contains("bits_per_byte")) outcome.bits_per_byte = json.at("bits_per_byte").get<double>();
  return outcome;
}

nlohmann::json json_of(const SweepOutcome& outcome) {
  if (!outcome.diverged.empty()) return {{"diverged", outcome.diverged}};
  nlohmann::json json = {{"loss", outcome.loss}, {"metric", outcome.metric}};
  if (outcome.bits_per_byte) json["bits_per_byte"] = *outcome.bits_per_byte;
  return json;
}

/// Describes the difference between two JSON objects of settings: "steps is 500, was 100".
std::string differences(const nlohmann::json& before, const nlohmann::json& now) {
  const nlohmann::json was = before.flatten(), is = now.flatten();
  nlohmann::json all = was;
  all.update(is);
  std::string text;
  for (const auto& [key, unused] : all.items()) {
    const auto in = [&key = key](const nlohmann::json& object) {
      const auto found = object.find(key);
      return found == object.end() ? "not set" : found->is_string() ? found->get<std::string>() : found->dump();
    };
    const std::size_t last = key.rfind('/') + 1;
    if (in(was) != in(is)) text += fmt::format("{}{} is {}, was {}", text.empty() ? "" : ", ", key.substr(last), in(is), in(was));
  }
  return text;
}

}  // namespace

SweepScore score_of(const SweepOutcome& outcome, TextTask task) {
  if (!outcome.diverged.empty()) return no_score;
  if (task == TextTask::Lm) return {outcome.bits_per_byte.value_or(outcome.loss), outcome.loss};
  return {-outcome.metric, outcome.loss};
}

std::map<std::string, SweepOutcome> outcomes_in(const std::string& folder) {
  const std::string path = folder + "/sweep.json";
  std::map<std::string, SweepOutcome> outcomes;
  std::ifstream file(path, std::ios::binary);
  if (!file) return outcomes;
  try {
    const auto json = try_parse_json<nlohmann::json>(std::string(std::istreambuf_iterator<char>(file), {}));
    for (const auto& [run, outcome] : json.at("runs").items()) outcomes[run] = outcome_of(outcome);
  } catch (const nlohmann::json::exception&) {
    fail("sweep", "{} is damaged", path);
  }
  return outcomes;
}

SweepFile::SweepFile(const std::string& folder, nlohmann::json identity)
    : path_(folder + "/sweep.json"), identity_(std::move(identity)) {
  std::ifstream file(path_, std::ios::binary);
  if (!file) {
    std::error_code none;
    if (fs::exists(folder, none) && !fs::is_empty(folder, none))
      config_fail("out", "{} is not empty and contains no sweep; choose another folder", folder);
    return;
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  nlohmann::json json = try_parse_json<nlohmann::json>(text);
  try {
    const nlohmann::json& before = json.at("sweep");
    if (before != identity_)
      config_fail("out", "{} contains a sweep with different settings ({}); choose another folder", folder,
                  differences(before, identity_));
    for (const auto& [run, outcome] : json.at("runs").items()) outcomes_[run] = outcome_of(outcome);
  } catch (const nlohmann::json::exception&) {
    config_fail("out", "{} is damaged; remove {} to start over", path_, folder);
  }
}

void SweepFile::record(const std::string& run, SweepOutcome outcome) {
  outcomes_[run] = std::move(outcome);
  write();
}

void SweepFile::write() const {
  nlohmann::json runs = nlohmann::json::object();
  for (const auto& [name, result] : outcomes_) runs[name] = json_of(result);
  write_file_atomically(path_, nlohmann::json{{"sweep", identity_}, {"runs", runs}}.dump(1) + "\n");
}

}  // namespace argand
