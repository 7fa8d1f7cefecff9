#pragma once
/// A temporary directory for tests that write files; removed at the end of its scope.

#include <stdlib.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/error_text.h"

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    path_ = (std::filesystem::temp_directory_path() / "argand-test-XXXXXX").string();
    BOOST_REQUIRE(mkdtemp(path_.data()) != nullptr);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  /// Writes a file and returns its path.
  std::string file(const std::string& name, std::string_view contents) const {
    // Removes an old file first: some file systems flush a file that is truncated in place, which is ten times slower.
    std::filesystem::remove(*this / name);
    std::ofstream out(*this / name, std::ios::binary);
    out << contents;
    BOOST_REQUIRE(out.flush());
    return *this / name;
  }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::string path_;
};

inline std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  BOOST_REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}
