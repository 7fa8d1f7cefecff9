#include "apps/ablation/ablation.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "apps/ablation/kept_runs.h"
#include "apps/ablation/probes.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/counter.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/terminal.h"
#include "data/files/atomic_file.h"
#include "train/checkpoints/jsonl.h"
#include "train/checkpoints/run_folder.h"
#include "train/config/run_config.h"
#include "train/data/corpora.h"

namespace argand {
namespace {

/// The log's last line with this key, or null.
nlohmann::ordered_json last_line_with(const std::string& log, const std::string& key) {
  nlohmann::ordered_json found;
  for_each_line(log, [&](nlohmann::ordered_json line, std::int64_t) {
    if (line.contains(key)) found = std::move(line);
  });
  return found;
}

/// Steps taken over steps asked for; 0 for a run that has not begun.
double progress_of(const std::string& folder) {
  const nlohmann::ordered_json config = read_json(RunFolder(folder).file("config.json"));
  if (!config.is_object()) return 0;
  const nlohmann::ordered_json line = last_line_with(RunFolder(folder).log(), "loss");
  return line.is_null() ? 0 : line["step"].get<double>() / config["training"]["steps"].get<double>();
}

/// Words of a command that times what a finished run's model writes; nothing when that is known, or its checkpoint is gone.
std::vector<std::string> timing_command(const RunFolder& run, const AblationResult& result) {
  if (result.milliseconds_per_token > 0 || !std::filesystem::exists(run.last())) return {};
  return {"eval", run.last(), "--latency", "--json", run.latency()};
}

/// A process of this very program, which trains or probes.
class Child {
 public:
  /// What it prints is appended to the file `output`.
  Child(const std::vector<std::string>& arguments, const std::string& output) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    std::vector<const char*> argv = {self.c_str()};
    for (const std::string& a : arguments) argv.push_back(a.c_str());
    argv.push_back(nullptr);
    const int descriptor = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    require(descriptor >= 0, "ablate", "cannot write {}: {}", output, std::strerror(errno));
    pid_ = fork();
    if (pid_ == 0) {
      dup2(descriptor, 1);
      dup2(descriptor, 2);
      setpgid(0, 0);  // Ctrl-C reaches the parent, which passes it on once
      execv(self.c_str(), const_cast<char* const*>(argv.data()));
      _exit(127);
    }
    close(descriptor);
    require(pid_ > 0, "ablate", "cannot start another process: {}", std::strerror(errno));
  }
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    waitpid(pid_, &status_, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void stop() const { ::kill(pid_, SIGTERM); }
  bool running() {
    if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = 0;
    return pid_ > 0;
  }
  bool succeeded() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

 private:
  pid_t pid_ = 0;
  int status_ = 0;
};

std::string last_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) last = line;
  return last;
}

/// "steps is 500, was 100": where two objects of settings differ.
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
  // All rows with the first seed, then all with the second: whoever stops early can compare all rows.
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
  // Data that cannot be read are told once, and before the folder is one of an ablation of them.
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
  for (const Setting& s : settings(job)) words.insert(words.end(), {s.place, s.text});
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

void Ablation::remember_settings() const {
  nlohmann::ordered_json settings = {{"family", table_.family}};
  for (const auto& [key, text] : options_.shared) settings[key] = text;
  const std::string path = options_.out + "/ablation.json";
  std::filesystem::create_directories(options_.out);
  if (std::ifstream file(path); file) {
    nlohmann::json before = nlohmann::json::parse(file, nullptr, false);
    if (table_.task == "lm" && before.is_object() && !before.contains("eval_protocol"))
      before["eval_protocol"] = "full-blocks";  // runs of before there was a choice
    nlohmann::json now = settings;
    // Kept runs do not say where their data were.
    if (before.is_object() && before == nlohmann::json(without_paths(before))) now = nlohmann::json(without_paths(settings));
    if (before != now)
      usage_fail("--out", "{} holds an ablation with other settings ({}); name another folder, or remove that one", options_.out,
                 differences(before, now));
    return;
  }
  write_file_atomically(path, settings.dump() + "\n");
}

int Ablation::run() {
  remember_settings();
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> shares;  // of each run that is done; while it runs, as of the last look
  for (const Job& job : jobs_) shares.push_back(std::min(1.0, progress_of(folder(job))));
  const auto share_done = [&] { return std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size()); };
  const double at_start = share_done();
  const Interrupt interrupt("stopping: every run finishes its step and saves; a second Ctrl-C does not wait for them");
  Counter counter("ablate", 1);
  struct Work {
    std::vector<std::string> command;
    std::unique_ptr<Child> child;
  };
  std::map<std::size_t, Work> running;
  const auto begin = [&](std::size_t i, std::vector<std::string> command) {
    const std::string folder = this->folder(jobs_[i]);
    std::filesystem::create_directories(std::filesystem::path(folder).parent_path());
    auto child = std::make_unique<Child>(command, folder + ".txt");
    running[i] = {std::move(command), std::move(child)};
  };
  std::vector<std::string> failures;
  std::size_t next = 0, finished = 0;
  auto last_look = start;
  while (next < jobs_.size() || !running.empty()) {
    while (interrupt.signal() == 0 && next < jobs_.size() && static_cast<std::int64_t>(running.size()) < options_.jobs) {
      if (auto command = next_command(jobs_[next]); command.empty())
        ++finished;
      else
        begin(next, std::move(command));
      ++next;
    }
    for (auto it = running.begin(); it != running.end();) {
      if (it->second.child->running()) {
        ++it;
        continue;
      }
      const Job& job = jobs_[it->first];
      // An audit that finds violations fails, and has written them down.
      const bool ended = it->second.child->succeeded() || it->second.command[0] == "audit";
      auto command = ended ? next_command(job) : it->second.command;
      if (!command.empty() && command != it->second.command && interrupt.signal() == 0) {
        begin(it->first, std::move(command));
        continue;
      }
      const std::string name = fmt::format("{}, seed {}", table_.rows[job.row].name, job.seed);
      if (const auto r = command.empty() ? result(job) : std::nullopt) {
        ++finished;
        shares[it->first] = 1;
        counter.clear();
        fmt::print("{} of {}: {}: {} {:.1f}{}\n", finished, jobs_.size(), name, table_.task == "lm" ? "perplexity" : "accuracy",
                   r->metric, r->bits_per_byte ? fmt::format(", {:.3f} bits a byte", *r->bits_per_byte) : "");
        std::fflush(stdout);
      } else if (interrupt.signal() == 0) {
        failures.push_back(name + ": " + last_line_of(folder(job) + ".txt"));
      }
      it = running.erase(it);
    }
    if (interrupt.signal() != 0) {
      for (const auto& [_, work] : running) work.child->stop();
      while (!running.empty()) {  // each ends its step and saves
        std::erase_if(running, [](auto& entry) { return !entry.second.child->running(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      counter.clear();
      fmt::print("stopped by {}; the same command goes on from there\n", interrupt.name());
      return interrupt.exit_code();
    }
    if (const auto now = std::chrono::steady_clock::now(); now - last_look > std::chrono::seconds(2)) {
      last_look = now;
      for (const auto& [i, _] : running) shares[i] = std::min(1.0, progress_of(folder(jobs_[i])));
      const double share = (share_done() - at_start) / (1 - at_start);
      counter.show(share, fmt::format("{} of {} runs, {} running", finished, jobs_.size(), running.size()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  write_tables(report(), options_.out);
  write_probe_tables(table_, options_.out);
  std::string text;
  for (const std::string& failure : failures) text += "\n  " + failure;
  require(failures.empty(), "ablate", "{} of {} runs failed; the same command tries them again{}", failures.size(), jobs_.size(),
          text);
  return 0;
}

AblationReport Ablation::report() const { return {table_, read_results(table_, options_.out)}; }

}  // namespace argand
