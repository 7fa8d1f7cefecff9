#include "apps/runs/process_pool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "apps/terminal/counter.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/start.h"
#include "core/machine/json.h"
#include "core/machine/process.h"
#include "train/checkpoints/jsonl.h"
#include "train/checkpoints/run_folder.h"

namespace argand {
namespace {

using CommandLine = std::vector<std::string>;

/// A child process that runs this program.
class Child {
 public:
  /// Appends the output of the process to the file `output`.
  Child(const std::string& label, const CommandLine& arguments, const std::string& output) {
    const std::string self = std::filesystem::canonical(current_program());
    std::vector<const char*> argv = {self.c_str()};
    for (const std::string& a : arguments) argv.push_back(a.c_str());
    argv.push_back(nullptr);
    const int descriptor = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    require(descriptor >= 0, label, "cannot write {}: {}", output, std::strerror(errno));
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      signal_when_parent_ends(SIGTERM);  // the child saves and exits when this process is killed
      if (getppid() != parent) _exit(127);
      dup2(descriptor, 1);
      dup2(descriptor, 2);
      setpgid(0, 0);  // Ctrl-C reaches only the parent, which passes it on once
      execv(self.c_str(), const_cast<char* const*>(argv.data()));
      _exit(127);
    }
    close(descriptor);
    require(pid_ > 0, label, "cannot start another process: {}", std::strerror(errno));
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
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_); }

 private:
  pid_t pid_ = 0;
  int status_ = 0;
};

/// The error that ended a process, or the last line that it printed, ignoring the first `begin` bytes.
std::string last_line_of(const std::string& path, std::uintmax_t begin) {
  std::ifstream file(path);
  file.seekg(static_cast<std::streamoff>(begin));
  std::string last, error;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) (line.starts_with("argand: ") ? error : last) = line;
  return error.empty() ? last : error;
}

/// Steps taken divided by steps requested; 0 for a run that has not begun.
double progress_of(const std::string& folder) {
  std::ifstream file(RunFolder(folder).file("config.json"));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto config = try_parse_json<nlohmann::json>(text);
  if (!config.is_object() || !config.contains("training")) return 0;
  double step = 0;
  for_each_line(RunFolder(folder).log(), [&](const nlohmann::ordered_json& line, std::int64_t) {
    if (line.contains("loss")) step = line["step"].get<double>();
  });
  return std::min(1.0, step / std::max(1.0, config["training"].value("steps", 1.0)));
}

/// Waits for a process whose parent was killed and which may be saving after its last step.
void wait_until_free(const std::string& folder) {
  std::error_code none;
  for (int tenths = 0; tenths < 100 && std::filesystem::is_directory(folder, none); ++tenths) {
    try {
      const RunLock free(folder);
      return;
    } catch (const Error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

}  // namespace

int ProcessPool::run(const std::vector<ProcessJob>& work) const {
  std::vector<double> shares;  // progress of each run, finished or not, when last checked
  for (const ProcessJob& job : work) shares.push_back(progress_of(job.folder));
  const auto share_done = [&] { return std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size()); };
  const double at_start = share_done();
  const Interrupt interrupt("stopping: every run finishes its step and saves; press Ctrl-C again to exit without waiting");
  Counter counter(label, 1);
  struct Running {
    CommandLine command;
    std::unique_ptr<Child> child;
    std::uintmax_t printed_before = 0;  ///< bytes printed by earlier processes
  };
  std::map<std::size_t, Running> running;
  const auto begin = [&](std::size_t i, CommandLine command) {
    const std::string& folder = work[i].folder;
    std::filesystem::create_directories(std::filesystem::path(folder).parent_path());
    wait_until_free(folder);
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(folder + ".txt", none);
    auto child = std::make_unique<Child>(label, command, folder + ".txt");
    running[i] = {std::move(command), std::move(child), none ? 0 : size};
  };
  std::size_t next = 0, finished = 0;
  auto last_look = std::chrono::steady_clock::now();
  while (next < work.size() || !running.empty()) {
    while (interrupt.signal() == 0 && next < work.size() && static_cast<std::int64_t>(running.size()) < jobs) {
      if (CommandLine command = work[next].next(); command.empty())
        ++finished, shares[next] = 1;
      else
        begin(next, std::move(command));
      ++next;
    }
    for (auto it = running.begin(); it != running.end();) {
      if (it->second.child->running()) {
        ++it;
        continue;
      }
      const ProcessJob& job = work[it->first];
      const int code = it->second.child->exit_code();
      const bool done = code == 0 || (may_fail && may_fail(it->second.command));
      CommandLine command = done ? job.next() : it->second.command;
      if (!command.empty() && command != it->second.command && interrupt.signal() == 0) {
        begin(it->first, std::move(command));
        continue;
      }
      if (command.empty()) {
        ++finished;
        shares[it->first] = 1;
        counter.clear();
        fmt::print("{} of {}: {}: {}\n", finished, work.size(), job.name, ended(it->first));
        std::fflush(stdout);
      } else if (interrupt.signal() == 0) {
        shares[it->first] = 1;
        counter.clear();
        failed({it->first, code, last_line_of(job.folder + ".txt", it->second.printed_before)});
      }
      it = running.erase(it);
    }
    if (interrupt.signal() != 0) {
      for (const auto& [_, process] : running) process.child->stop();
      while (!running.empty()) {  // each process finishes its step and saves
        std::erase_if(running, [](auto& entry) { return !entry.second.child->running(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      counter.clear();
      fmt::print("stopped by {}; run the same command to continue\n", interrupt.name());
      return interrupt.signal();
    }
    if (const auto now = std::chrono::steady_clock::now(); now - last_look > std::chrono::seconds(2)) {
      last_look = now;
      for (const auto& [i, _] : running) shares[i] = progress_of(work[i].folder);
      const double share = (share_done() - at_start) / (1 - at_start);
      counter.show(share, fmt::format("{} of {} runs, {} running", finished, work.size(), running.size()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return 0;
}

}  // namespace argand
