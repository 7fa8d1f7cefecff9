#pragma once
/// Writes a file atomically: at any time, even after a failure, a reader sees either all of the old contents or all of the new.

#include <string>
#include <string_view>

namespace argand {

/// The contents go to a temporary file in the same directory; commit() makes them durable (fsync), renames the temporary file to
/// `path` and makes the rename durable (fsync of the directory). Without commit(), the destructor removes the temporary file.
///
/// Every failure (full disk, short write, no permission, ...) throws Error naming the path and the system's reason; the old file
/// stays intact and the temporary file is removed. Symbolic links are followed; a replaced file keeps its permissions. Device
/// files, pipes, directories, and "-" (which usually means standard output) are rejected.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Must be the last call.
  void commit();

 private:
  [[noreturn]] void give_up(int reason);
  void discard() noexcept;

  std::string path_;       ///< as given by the caller, for messages
  std::string target_;     ///< with links resolved
  std::string temporary_;  ///< empty once removed
  int descriptor_ = -1;
};

/// Writes the whole file in one call.
void write_file_atomically(const std::string& path, std::string_view contents);

}  // namespace argand
