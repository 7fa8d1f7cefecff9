#pragma once
/// Where an option such as --json FILE puts what it asks for.

#include <string>
#include <string_view>

namespace argand {

/// A file, or with "-" standard output, for the next program of a pipe: all else that is printed then goes to standard error.
class OutputFile {
 public:
  /// Empty: nothing is asked for.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  explicit operator bool() const { return !path_.empty(); }
  /// What messages call it.
  std::string name() const { return path_ == "-" ? "standard output" : path_; }
  /// The whole contents: a file is written completely or not at all.
  void write(std::string_view contents) const;

 private:
  std::string path_;
  int standard_output_ = -1;  ///< while it is lent
};

}  // namespace argand
