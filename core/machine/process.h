#pragma once
/// Functions that Linux and macOS implement differently: the program's path, environment, processors and peak memory, and pipes
/// that children do not inherit.

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

namespace argand {

/// The path of the running program's file; "/proc/self/exe" on Linux, which stays valid when the file is replaced.
std::string program_path();

/// The environment, for posix_spawn.
char** process_environment();

/// The peak memory use of the process so far, in bytes.
std::int64_t peak_memory();

/// How many processors a process (0: this one) may use; 0 if the system does not say. Allocates nothing, so that it can run before
/// the libraries are initialised.
int processors_of(pid_t process);
/// Lets this process use the processors that another one may use, if the system supports this.
void use_processors_of(pid_t process);

/// How many threads this process has; 0 if the system does not say.
int threads_of_this_process();

/// Makes the system send `signal` to this process when its parent ends. Does nothing on macOS.
void signal_when_parent_ends(int signal);

/// Creates a pipe, or a pair of connected sockets, whose descriptors a child inherits only as its standard streams. Returns false,
/// with errno set, on failure.
bool make_pipe(std::span<int, 2> ends);
bool make_sockets(std::span<int, 2> ends);
/// Writes to a socket of make_sockets without waiting. Returns what send() does; if the other end is closed,
/// errno is EPIPE and no signal is raised.
ssize_t send_to_socket(int socket, std::span<const char> bytes);

}  // namespace argand
