#include "data/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "data/files/text_file.h"

namespace argand {
namespace {

std::string directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

/// Syncs the directory, so that its new entry is on disk. Some file systems cannot sync a directory (EINVAL), which is not treated
/// as an error. Returns an errno or 0.
int sync_directory(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;  // a directory may be writable but not readable
  const int error = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  return error;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(path) {
  require_name("save", path);
  require(path != "-", "save", "cannot write to standard output; give a file name (./- for a file named -)");
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(target_, error); ++links) {
    if (links == 40) give_up(ELOOP);
    const std::filesystem::path next = std::filesystem::read_symlink(target_, error);
    if (error) give_up(error.value());
    target_ = (std::filesystem::path(target_).parent_path() / next).string();  // an absolute `next` replaces the whole path
  }
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) fail("save", "{} is not a regular file", path_);

  // O_EXCL: never write into a file that another process opened. The number avoids files left behind by a crashed process.
  for (int number = 0; descriptor_ < 0; ++number) {
    if (number == 1000) {
      temporary_.clear();
      fail("save", "cannot write {}: a thousand files {}.tmp-{}-* are in the way; delete them", path_, target_, ::getpid());
    }
    temporary_ = fmt::format("{}.tmp-{}-{}", target_, ::getpid(), number);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) {
      const int reason = errno;
      temporary_.clear();
      give_up(reason);
    }
  }
  if (exists && ::fchmod(descriptor_, old.st_mode & 07777) != 0) give_up(errno);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) give_up(written < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) give_up(errno);
  // Some network file systems report a failed write only here. After close() the descriptor is invalid, even if close() failed.
  if (::close(std::exchange(descriptor_, -1)) != 0) give_up(errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) give_up(errno);
  temporary_.clear();
  if (const int reason = sync_directory(directory_of(target_)); reason != 0)
    fail("save", "{} was written, but its directory could not be synced to disk: {}", path_,
         std::generic_category().message(reason));
}

void AtomicFile::give_up(int reason) {
  discard();
  fail("save", "cannot write {}: {}; the file was left as it was", path_, std::generic_category().message(reason));
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void write_file_atomically(const std::string& path, std::string_view contents) {
  AtomicFile file(path);
  file.write(contents);
  file.commit();
}

}  // namespace argand
