#pragma once
/// The destination of an option such as --json FILE.

#include <string>
#include <string_view>

namespace argand {

/// A file, or standard output for "-"; everything else is then printed to standard error, so that a pipe gets only the contents.
class OutputFile {
 public:
  /// An empty path means that the option was not given and nothing is written.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  explicit operator bool() const { return !path_.empty(); }
  /// The name of the destination in messages.
  std::string name() const { return path_ == "-" ? "standard output" : path_; }
  /// Writes all of the contents; a file is written completely or not at all.
  void write(std::string_view contents) const;

 private:
  std::string path_;
  int standard_output_ = -1;  ///< the original standard output, while it is redirected
};

}  // namespace argand
