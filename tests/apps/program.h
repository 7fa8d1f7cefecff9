#pragma once
/// Runs the real program, build/apps/argand, or another one.

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/data/temporary_directory.h"

namespace argand {

/// A program started by a test; its output goes to files in `scratch`.
class Program {
 public:
  /// `arguments` are split at spaces. `before` runs in the child before the program.
  Program(const TemporaryDirectory& scratch, const std::string& arguments, const std::function<void()>& before = {},
          const std::string& program = ARGAND_PROGRAM)
      : out_(scratch / ".out"), err_(scratch / ".err") {
    std::vector<std::string> words = {program};
    std::istringstream stream(arguments);
    for (std::string word; stream >> word;) words.push_back(word);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = fork();
    BOOST_REQUIRE(pid_ >= 0);
    if (pid_ > 0) return;
    dup2(open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
    dup2(open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
    ::signal(SIGHUP, SIG_DFL);  // tests may run under nohup, which ignores SIGHUP
    if (before) before();
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~Program() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Does nothing if the program has ended: a process id of 0 would mean this process group.
  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
  }
  bool running() {
    if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = 0;
    return pid_ > 0;
  }
  /// Waits for the program to end; returns its exit code, or 1000 + the signal that ended it.
  int wait() {
    if (pid_ > 0) waitpid(pid_, &status_, 0);
    pid_ = 0;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 1000 + WTERMSIG(status_);
  }
  std::string out() const { return contents_of(out_); }
  std::string err() const { return contents_of(err_); }

 private:
  std::string out_, err_;
  pid_t pid_ = 0;
  int status_ = 0;
};

struct Finished {
  int code;
  std::string out, err;
};

inline Finished run_argand(const TemporaryDirectory& scratch, const std::string& arguments,
                           const std::function<void()>& before = {}, const std::string& program = ARGAND_PROGRAM) {
  Program started(scratch, arguments, before, program);
  const int code = started.wait();
  return {code, started.out(), started.err()};
}

/// Waits until the run's log has a line for that step; returns false if the program ends first.
inline bool reaches_step(Program& program, const std::string& run, int step) {
  const std::string mark = "{\"step\":" + std::to_string(step) + ",";
  while (program.running()) {
    std::ifstream log(run + "/log.jsonl");
    const std::string text{std::istreambuf_iterator<char>(log), {}};
    if (text.find(mark) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// The log without the values that come from the clock.
inline std::string log_without_times(const std::string& run) {
  std::string text;
  std::istringstream lines(contents_of(run + "/log.jsonl"));
  for (std::string line; std::getline(lines, line);) text += line.substr(0, line.find(",\"tokens_per_second\"")) + "\n";
  return text;
}

/// Options for a model whose training steps take a millisecond.
inline const std::string tiny =
    " --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --length 32 --batch 16 --warmup 5 --threads 1 --log-every 1 ";

}  // namespace argand
