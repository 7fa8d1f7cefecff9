#include "train/ablation/kept_runs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/error.h"
#include "data/files/atomic_file.h"
#include "train/ablation/ablation_result.h"
#include "train/checkpoints/jsonl.h"
#include "train/checkpoints/run_folder.h"

namespace argand {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// "wikitext-2" for "/data/wikitext-2/", and so for each of several paths separated by commas.
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

/// Rounds floating-point numbers to six significant digits, recursively.
void round_numbers(Json& value) {
  if (value.is_structured())
    for (Json& part : value) round_numbers(part);
  else if (value.is_number_float() && std::isfinite(value.get<double>()))
    value = std::stod(fmt::format("{:.6g}", value.get<double>()));
}

std::string with_every(const std::vector<Json>& lines, std::int64_t every) {
  std::int64_t last = 0;
  for (const Json& line : lines)
    if (line.contains("loss")) last = line["step"];
  std::string text;
  for (const Json& line : lines) {
    const std::int64_t step = line["step"];
    if (line.contains("loss") && step != 1 && step != last && step % every != 0) continue;
    text += line.dump() + "\n";
  }
  return text;
}

}  // namespace

nlohmann::ordered_json without_paths(nlohmann::ordered_json config) {
  for (auto& [key, value] : config.items()) {
    if (value.is_structured()) value = without_paths(value);
    if (!value.is_string()) continue;
    const std::string text = value;
    const bool is_file = key == "data" || key == "init" || key == "tokens" || key == "irw_file";
    if (is_file || text.starts_with("/")) value = last_names(text);
  }
  return config;
}

std::string thin_log(const std::string& log, const nlohmann::ordered_json& made_by, std::int64_t parameters,
                     std::size_t most_bytes) {
  std::vector<Json> lines;
  bool said = false;
  for_each_line(log, [&](Json line, std::int64_t) {
    if (line.is_null()) return;
    if (auto maker = line.find("made_by"); maker != line.end()) said = true, (*maker)["parameters"] = parameters;
    if (line.contains("loss")) round_numbers(line);
    lines.push_back(std::move(line));
  });
  if (!said) {
    Json maker = made_by;
    maker["parameters"] = parameters;
    lines.insert(lines.begin(), Json{{"step", 0}, {"made_by", maker}});
  }
  std::string text;
  for (std::int64_t every = lines.size() <= 100 ? 1 : 10; every < 1'000'000; every *= 2)
    if (text = with_every(lines, every); text.size() <= most_bytes) break;
  return text;
}

namespace {

/// The ablation.json of a folder, without paths; null if there is none.
Json settings_in(const std::string& out) {
  const std::string path = out + "/ablation.json";
  if (!fs::exists(path)) return nullptr;
  Json settings = read_json(path);
  require(settings.is_object(), "ablate", "{} is damaged", path);
  return without_paths(std::move(settings));
}

}  // namespace

nlohmann::ordered_json shared_by_rows(const AblationTable& table, const std::string& out, const std::string& place) {
  const Json settings = settings_in(out);
  if (settings.is_null()) input_fail(place, "{} contains no ablation", out);
  if (const std::string family = settings.value("family", "nothing"); family != table.family)
    input_fail(place, "{} contains an ablation of {}, not of {}", out, family, table.family);
  return settings;
}

std::int64_t keep_runs(const AblationTable& table, const std::string& out, const std::string& kept, nlohmann::ordered_json maker) {
  const Json settings = shared_by_rows(table, out, "keep"), before = settings_in(kept);
  const auto same = [](const Json& a, const Json& b) { return nlohmann::json(a) == nlohmann::json(b); };
  if (before.is_object() && !same(before, settings))
    input_fail("keep", "{} contains an ablation with different settings, {}; these are {}", kept, before.dump(), settings.dump());
  std::int64_t count = 0;
  const std::vector<SeedResults> results = read_results(table, out);
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    for (const auto& [seed, result] : results[row]) {
      const std::string& name = table.rows[row].name;
      const RunFolder from(folder_of_run(out, name, seed)), to(folder_of_run(kept, name, seed));
      fs::create_directories(to.path());
      write_file_atomically(to.file("config.json"), without_paths(read_json(from.file("config.json"))).dump(2) + "\n");
      write_file_atomically(to.log(), thin_log(from.log(), maker, result.parameters));
      std::vector<std::string> probes = {from.written(), from.positions(), from.exchanged(),
                                         from.audit(),   from.latency(),   from.as_learnt()};
      for (const std::string& setting : table.interventions) probes.push_back(from.with(setting));
      for (const std::string& path : probes)
        if (fs::exists(path)) {
          Json probe = read_json(path);
          require(probe.is_object(), "ablation", "{} is damaged", path);
          probe.erase("checkpoint");
          write_file_atomically(to.file(fs::path(path).filename()), probe.dump(1) + "\n");
        }
      ++count;
    }
  fs::create_directories(kept);
  write_file_atomically(kept + "/ablation.json", settings.dump() + "\n");
  return count;
}

}  // namespace argand
