#include "train/checks/child_process.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/machine/process.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

constexpr std::size_t longest_line = 64 << 20;

/// The process groups of the running programs, the only data that the signal handler uses.
std::array<std::atomic<pid_t>, 16> groups{};
struct OldHandlers {
  int signal;
  struct sigaction action {};
};
std::array<OldHandlers, 3> old_handlers = {{{SIGINT}, {SIGTERM}, {SIGHUP}}};
int watched = 0;  ///< number of groups

/// Kills the programs: a terminal's Ctrl-C does not reach them, because they run in separate process groups.
extern "C" void kill_all_groups(int signal) {
  for (const auto& group : groups)
    if (const pid_t id = group; id > 0) kill(-id, SIGKILL);
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void watch(pid_t group) {
  for (auto& place : groups) {
    pid_t none = 0;
    if (place.compare_exchange_strong(none, group)) break;
  }
  if (watched++ > 0) return;
  struct sigaction action {};
  action.sa_handler = kill_all_groups;
  for (OldHandlers& old : old_handlers) {
    sigaction(old.signal, nullptr, &old.action);
    if (old.action.sa_handler == SIG_DFL) sigaction(old.signal, &action, nullptr);  // signals that were ignored remain ignored
  }
}

void forget(pid_t group) {
  for (auto& place : groups) {
    pid_t same = group;
    if (place.compare_exchange_strong(same, 0)) break;
  }
  if (--watched > 0) return;
  for (const OldHandlers& old : old_handlers) sigaction(old.signal, &old.action, nullptr);
}

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Whether the process has ended but has not been waited for.
bool has_ended(pid_t process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

}  // namespace

ChildProcess::ChildProcess(std::string op, const std::string& command, double patience)
    : op_(std::move(op)), command_(in_quotes(command)), patience_(patience) {
  // A socket, because writing to a program that has ended then returns an error instead of raising a signal.
  std::array<int, 2> in{}, out{};
  require(make_sockets(in) && make_pipe(out), op_, "cannot create a pipe: {}", std::strerror(errno));
  to_ = in[0];
  from_ = out[0];

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that it can be killed with all its children
  std::string shell = "sh", option = "-c", text = command;
  std::array<char*, 4> words = {shell.data(), option.data(), text.data(), nullptr};
  const int refused = posix_spawnp(&process_, "sh", &actions, &attributes, words.data(), process_environment());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(in[1]);
  close(out[1]);
  if (refused != 0) {
    process_ = -1;
    close(to_);
    close(from_);
    fail(op_, "cannot start {}: {}", command_, std::strerror(refused));
  }
  watch(process_);
}

ChildProcess::~ChildProcess() {
  close(to_);
  close(from_);
  if (process_ < 0) return;
  for (int k = 0; k < 20 && !has_ended(process_); ++k) usleep(10'000);  // give it 0.2 s to exit
  kill_group();
}

/// Also kills any processes that the program left running. The group's id is valid until the program has been waited for.
int ChildProcess::kill_group() {
  int status = 0;
  kill(-process_, SIGKILL);
  waitpid(process_, &status, 0);
  forget(std::exchange(process_, -1));
  return status;
}

std::string ChildProcess::ask(const std::string& line) {
  send(line + "\n");
  const double until = seconds_now() + patience_;
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      std::string answer = received_.substr(0, end);
      received_.erase(0, end + 1);
      return answer;
    }
    require(received_.size() < longest_line, op_, "{} answered with a line of more than 64 MB", command_);
    require(wait_for(from_, POLLIN, until), op_, "{} did not answer within {:.6g} s", command_, patience_);
    std::array<char, 65536> buffer;
    const ssize_t n = ::read(from_, buffer.data(), buffer.size());
    if (n == 0) fail_after_exit();
    require(n > 0 || errno == EINTR, op_, "cannot read from {}: {}", command_, std::strerror(errno));
    if (n > 0) received_.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

void ChildProcess::send(const std::string& text) {
  const double until = seconds_now() + patience_;
  for (std::size_t sent = 0; sent < text.size();) {
    require(wait_for(to_, POLLOUT, until), op_, "{} did not read its input within {:.6g} s", command_, patience_);
    const ssize_t n = send_to_socket(to_, std::span(text).subspan(sent));
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) return;  // the program has ended; its output can still be read
    require(n >= 0 || errno == EINTR || errno == EAGAIN, op_, "cannot write to {}: {}", command_, std::strerror(errno));
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
}

bool ChildProcess::wait_for(int file, short event, double until) const {
  for (;;) {
    const double left = until - seconds_now();
    if (left <= 0) return false;
    pollfd waiting{file, event, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left * 1000) + 1);
    if (ready > 0) return true;
    require(ready == 0 || errno == EINTR, op_, "cannot wait for {}: {}", command_, std::strerror(errno));
  }
}

void ChildProcess::fail_after_exit() {
  const double until = seconds_now() + patience_;
  bool ended = false;
  while (!(ended = has_ended(process_)) && seconds_now() < until) usleep(1000);
  require(ended, op_, "{} has closed its output", command_);
  const int status = kill_group();
  // The shell reports a signal as a status above 128.
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
  if (signal != 0) fail(op_, "{} was terminated by signal {} ({})", command_, signal, strsignal(signal));
  fail(op_, "{} exited with status {} without answering", command_, WEXITSTATUS(status));
}

}  // namespace argand
