#pragma once
/// Writes a file all or nothing: whoever opens it, at any time and after any failure, finds the whole old text or the whole new
/// one.

#include <string>
#include <string_view>

namespace argand {

/// The contents go to a temporary file in the same directory; commit() makes them durable (fsync), renames the temporary over
/// `path` and makes the rename durable (fsync of the directory). Without a commit() the destructor removes the temporary.
///
/// Every failure (full disk, short write, no permission, ...) throws Error naming the path and the system's reason; the old file
/// is then intact and the temporary gone. A symbolic link is followed; permissions of a file that is replaced are kept.
/// Device files, pipes and directories are refused.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// To be called once, last.
  void commit();

 private:
  [[noreturn]] void give_up(int reason);
  void discard() noexcept;

  std::string path_;       ///< as the caller named it: for messages
  std::string target_;     ///< links resolved
  std::string temporary_;  ///< empty once it is gone
  int descriptor_ = -1;
};

/// The whole of it in one call.
void write_file_atomically(const std::string& path, std::string_view contents);

}  // namespace argand
