#pragma once
/// The log of a run: one JSON object a line, each with a "step".

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace argand {

class JsonLines {
 public:
  /// Opens (or makes) the file and drops everything after `last_step`: lines that a run wrote after the checkpoint from which it
  /// now goes on, and a half-written last line. last_step = -1 drops all. The file stays locked while the object lives.
  /// Throws Error when it cannot be opened or another process holds it.
  JsonLines(const std::string& path, std::int64_t last_step);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  /// Appends one line; a process killed right afterwards leaves it whole. Throws Error (full disk).
  void write(const nlohmann::ordered_json& line);
  /// Down to the disk: before a checkpoint that counts on these lines.
  void sync();

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace argand
