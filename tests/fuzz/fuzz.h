#pragma once
/// Functions shared by the fuzz targets of this folder. Each target tests one reader: libFuzzer (`./dev fuzz`) or replay.cpp calls
/// its `LLVMFuzzerTestOneInput` with the bytes of a possible file. A reader may throw only Error, and input that it accepts must
/// have the properties that the target checks.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace argand {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

/// A file in memory that readers open by its path.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Replaces the contents of the file.
  void contents(std::string_view bytes);
  /// The contents of the file.
  std::string contents() const;
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

/// If the property does not hold, prints it and aborts, which a fuzzer counts as a crash.
void expect(bool holds, std::string_view property);

/// Runs f and returns false if it throws Error, which is allowed.
template <class F>
bool accepts(const F& f);

}  // namespace argand

#include "core/error.h"

template <class F>
bool argand::accepts(const F& f) {
  try {
    f();
    return true;
  } catch (const Error&) {
    return false;
  }
}
