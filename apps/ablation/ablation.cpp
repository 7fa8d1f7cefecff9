#include "apps/ablation/ablation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/ablation/probes.h"
#include "apps/ablation/result_tables.h"
#include "apps/runs/process_pool.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_names.h"
#include "core/machine/json.h"
#include "data/files/atomic_file.h"
#include "train/checkpoints/run_folder.h"
#include "train/config/run_config.h"
#include "train/data/corpora.h"

namespace argand {
namespace {

/// The command that measures how fast a finished run's model is; empty if this has been done or the checkpoint no longer exists.
std::vector<std::string> timing_command(const RunFolder& run, const AblationResult& result) {
  if (result.milliseconds_per_token > 0 || !std::filesystem::exists(run.last())) return {};
  return {"eval", run.last(), "--latency", "--json", run.latency()};
}

/// The differences between two sets of settings, such as "steps is 500, was 100".
std::string differences(const nlohmann::json& before, const nlohmann::json& now) {
  if (!before.is_object()) return "ablation.json is damaged";
  std::string text;
  nlohmann::json all = now;
  all.update(before);
  for (const auto& [key, unused] : all.items()) {
    const auto in = [&key = key](const nlohmann::json& settings) {
      const auto found = settings.find(key);
      return found == settings.end() ? "not set" : found->is_string() ? found->get<std::string>() : found->dump();
    };
    if (in(before) != in(now)) text += fmt::format("{}{} is {}, was {}", text.empty() ? "" : ", ", key, in(now), in(before));
  }
  return text;
}

}  // namespace

Ablation::Ablation(AblationTable table, AblationOptions options) : table_(std::move(table)), options_(std::move(options)) {
  // All rows with the first seed come first, then all with the second, so that rows can be compared if training stops early.
  for (std::int64_t seed = 0; seed < options_.seeds; ++seed)
    for (std::size_t row = 0; row < table_.rows.size(); ++row) jobs_.push_back({row, seed});
}

std::string Ablation::folder(const Job& job) const { return folder_of_run(options_.out, table_.rows[job.row].name, job.seed); }

std::optional<AblationResult> Ablation::result(const Job& job) const { return read_result(folder(job)); }

Settings Ablation::settings(const Job& job) const {
  return settings_of_run(table_, table_.rows[job.row], job.seed, options_.shared);
}

void Ablation::check() const {
  for (std::size_t row = 0; row < table_.rows.size(); ++row) RunConfig::resolve({}, settings({row, 0}), table_.task);
  // Read the data before marking the folder as an ablation, so that an error is reported only once.
  const auto first = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return !result(job); });
  if (first != jobs_.end()) open_data(RunConfig::resolve({}, settings(*first), table_.task));
}

std::vector<std::string> Ablation::training_command(const Job& job) const {
  std::vector<std::string> words = {"train", table_.task};
  const std::string threads = fmt::format("{}", options_.threads);
  if (std::filesystem::exists(RunFolder(folder(job)).last())) {
    words.insert(words.end(), {"--resume", folder(job), "--threads", threads});
    return words;
  }
  words.insert(words.end(), {"--out", folder(job), "--overwrite", "--threads", threads});
  for (const Setting& s : settings(job)) words.insert(words.end(), {option_name(s.key), s.text});
  return words;
}

std::vector<std::string> Ablation::next_command(const Job& job) const {
  const std::optional<AblationResult> trained = result(job);
  if (!trained) return training_command(job);
  if (table_.task != "lm") return {};
  std::vector<std::string> words;
  if (options_.latency) words = timing_command(RunFolder(folder(job)), *trained);
  if (options_.probe && words.empty()) words = next_probe(table_, folder(job), job.seed);
  if (!words.empty()) words.insert(words.end(), {"--threads", fmt::format("{}", options_.threads)});
  return words;
}

void Ablation::write_settings() const {
  nlohmann::ordered_json settings = {{"family", table_.family}};
  for (const auto& [key, text] : options_.shared) settings[key] = text;
  const std::string path = options_.out + "/ablation.json";
  if (std::ifstream file(path); file) {
    auto before = try_parse_json<nlohmann::json>(std::string(std::istreambuf_iterator<char>(file), {}));
    if (table_.task == "lm" && before.is_object() && !before.contains("eval_protocol"))
      before["eval_protocol"] = "full-blocks";  // older runs had no choice of protocol
    nlohmann::json now = settings;
    // Kept runs do not record where their data were, so compare without paths.
    if (before.is_object() && before == nlohmann::json(without_paths(before))) now = nlohmann::json(without_paths(settings));
    if (before != now)
      input_fail("--out", "{} contains an ablation with different settings ({}); choose another folder, or remove this one",
                 options_.out, differences(before, now));
    return;
  }
  write_file_atomically(path, settings.dump() + "\n");
}

int Ablation::run() {
  std::filesystem::create_directories(options_.out);
  const RunLock lock(options_.out);
  RunFolder(options_.out).remove_leftovers();
  write_settings();
  std::vector<ProcessJob> work;
  for (const Job& job : jobs_)
    work.push_back(
        {fmt::format("{}, seed {}", table_.rows[job.row].name, job.seed), folder(job), [this, job] { return next_command(job); }});
  std::string failures;
  std::size_t failed = 0;
  const ProcessPool all{.label = "ablate",
                        .jobs = options_.jobs,
                        .ended =
                            [&](std::size_t i) {
                              const AblationResult r = result(jobs_[i]).value();
                              return fmt::format("{} {:.1f}{}", table_.task == "lm" ? "perplexity" : "accuracy", r.metric,
                                                 r.bits_per_byte ? fmt::format(", {:.3f} bits per byte", *r.bits_per_byte) : "");
                            },
                        .failed =
                            [&](const FailedJob& job) {
                              ++failed;
                              failures += fmt::format("\n  {}: {}", work[job.job].name, job.last_line);
                            },
                        // An audit that finds violations exits with an error even though it has written its results.
                        .may_fail = [](const std::vector<std::string>& words) { return words[0] == "audit"; }};
  if (const int signal = all.run(work); signal != 0) return Interrupt::exit_code(signal);
  write_tables(results(), options_.out);
  require(failed == 0, "ablate", "{} of {} runs failed; run the same command to try them again{}", failed, jobs_.size(), failures);
  return 0;
}

ResultTable Ablation::results() const { return read_result_folder(table_, options_.out); }

}  // namespace argand
