#include "apps/terminal/external_program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/error.h"
#include "core/machine/process.h"

namespace argand {
namespace {

/// Uses files rather than pipes, so that neither side has to wait for the other to read.
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File scratch_file(const std::string& op) {
  File file(std::tmpfile(), std::fclose);
  require(file != nullptr, op, "cannot create a temporary file: {}", std::strerror(errno));
  return file;
}

std::string contents(std::FILE* file) {
  std::string text;
  std::array<char, 65536> buffer;
  std::rewind(file);
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;) text.append(buffer.data(), n);
  return text;
}

}  // namespace

std::string output_of(const std::string& op, const std::vector<std::string>& words, const std::string& input,
                      const std::string& package) {
  const File in = scratch_file(op), out = scratch_file(op), err = scratch_file(op);
  require(std::fwrite(input.data(), 1, input.size(), in.get()) == input.size() && std::fflush(in.get()) == 0, op,
          "cannot write to a temporary file: {}", std::strerror(errno));
  std::rewind(in.get());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), process_environment());
  posix_spawn_file_actions_destroy(&actions);
  require(refused != ENOENT, op, "requires the program {}, which is not installed; on Debian and Ubuntu: apt-get install {}",
          words[0], package);
  require(refused == 0, op, "cannot start {}: {}", words[0], std::strerror(refused));

  int status = 0;
  while (waitpid(child, &status, 0) < 0) require(errno == EINTR, op, "cannot wait for {}: {}", words[0], std::strerror(errno));
  const std::string complaint = contents(err.get());
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0, op, "{} failed: {}", words[0],
          complaint.empty() ? "no error message" : complaint.substr(0, complaint.find('\n')));
  std::string text = contents(out.get());
  require(!text.empty(), op, "{} produced no output: {}", words[0],
          complaint.empty() ? "no error message" : complaint.substr(0, complaint.find('\n')));
  return text;
}

}  // namespace argand
