#include "apps/terminal/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"
#include "data/files/atomic_file.h"

namespace argand {

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path != "-") return;
  std::fflush(stdout);
  standard_output_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  require(standard_output_ >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0, "save", "cannot write to standard output: {}",
          std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (standard_output_ < 0) return;
  std::fflush(stdout);
  ::dup2(standard_output_, STDOUT_FILENO);
  ::close(standard_output_);
}

void OutputFile::write(std::string_view contents) const {
  if (path_ != "-") return write_file_atomically(path_, contents);
  while (!contents.empty()) {
    const ssize_t written = ::write(standard_output_, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    require(written > 0, "save", "cannot write to standard output: {}", std::strerror(errno));
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace argand
