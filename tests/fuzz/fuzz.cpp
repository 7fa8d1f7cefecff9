#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace argand {

#if defined(__linux__)
MemoryFile::MemoryFile() : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  expect(descriptor_ >= 0, "memfd_create returns a file");
}
MemoryFile::~MemoryFile() { ::close(descriptor_); }
#else
MemoryFile::MemoryFile() : descriptor_(-1), path_("/tmp/argand-fuzz-XXXXXX") {
  descriptor_ = mkstemp(path_.data());
  expect(descriptor_ >= 0, "mkstemp returns a file");
}
MemoryFile::~MemoryFile() {
  ::close(descriptor_);
  ::unlink(path_.c_str());
}
#endif

void MemoryFile::contents(std::string_view bytes) {
  expect(::ftruncate(descriptor_, 0) == 0, "ftruncate");
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    expect(n > 0, "pwrite");
    done += static_cast<std::size_t>(n);
  }
}

std::string MemoryFile::contents() const {
  struct stat status {};
  expect(::fstat(descriptor_, &status) == 0, "fstat");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  expect(::pread(descriptor_, bytes.data(), bytes.size(), 0) == status.st_size, "pread");
  return bytes;
}

void expect(bool holds, std::string_view property) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: violated property: %.*s\n", static_cast<int>(property.size()), property.data());
  std::abort();
}

}  // namespace argand
