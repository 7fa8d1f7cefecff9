#include "core/machine/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#include <sys/prctl.h>
#elif defined(__APPLE__)
#include <crt_externs.h>
#include <mach-o/dyld.h>
#endif

namespace argand {

std::string program_path() {
#if defined(__APPLE__)
  std::string path(4096, '\0');
  auto size = static_cast<std::uint32_t>(path.size());
  if (_NSGetExecutablePath(path.data(), &size) != 0) return {};
  return path.c_str();
#else
  return "/proc/self/exe";
#endif
}

char** process_environment() {
#if defined(__APPLE__)
  return *_NSGetEnviron();  // on macOS a library cannot refer to environ
#else
  return environ;
#endif
}

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#if defined(__APPLE__)
  return usage.ru_maxrss;
#else
  return 1024 * static_cast<std::int64_t>(usage.ru_maxrss);
#endif
}

int threads_of_this_process() {
  int threads = 0;
#if defined(__linux__)
  if (DIR* const tasks = opendir("/proc/self/task"); tasks != nullptr) {
    while (const dirent* const task = readdir(tasks)) threads += task->d_name[0] != '.';
    closedir(tasks);
  }
#endif
  return threads;
}

#if defined(__linux__)
int processors_of(pid_t process) {
  cpu_set_t allowed;
  return sched_getaffinity(process, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

void use_processors_of(pid_t process) {
  cpu_set_t allowed;
  if (sched_getaffinity(process, sizeof allowed, &allowed) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
}

void signal_when_parent_ends(int signal) { prctl(PR_SET_PDEATHSIG, signal); }

bool make_pipe(std::span<int, 2> ends) { return pipe2(ends.data(), O_CLOEXEC) == 0; }
bool make_sockets(std::span<int, 2> ends) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0; }
#else
int processors_of(pid_t process) { return process == 0 ? static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) : 0; }
void use_processors_of(pid_t) {}
void signal_when_parent_ends(int) {}

/// Before a new descriptor is marked close-on-exec, another thread may start a program, which then inherits it; Linux does both at
/// once.
static bool close_on_exec(std::span<int, 2> ends) {
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}
bool make_pipe(std::span<int, 2> ends) { return pipe(ends.data()) == 0 && close_on_exec(ends); }
bool make_sockets(std::span<int, 2> ends) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0 || !close_on_exec(ends)) return false;
#if defined(SO_NOSIGPIPE)
  const int on = 1;
  for (const int end : ends)
    if (setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) != 0) return false;
#endif
  return true;
}
#endif

#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0  // the sockets have SO_NOSIGPIPE instead
#endif
ssize_t send_to_socket(int socket, std::span<const char> bytes) {
  return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace argand
