#pragma once
/// The log of a run: one JSON object a line, each with a "step".

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace argand {

/// Calls f(line, end) for every line of a log in turn: its object, or null where the line is damaged (no object with a whole number
/// "step"), and where the line ends, in bytes from the file's beginning. A last line without an end is still being written, and is
/// passed over, as is a file that is not there.
void for_each_line(const std::string& path, const std::function<void(nlohmann::ordered_json line, std::int64_t end)>& f);

class JsonLines {
 public:
  /// Opens (or makes) the file and drops what a run wrote after the checkpoint from which it now resumes: the lines of later steps
  /// at its end, and a half-written last line. Damaged lines before them are kept as they are. last_step = -1 drops all. The file
  /// stays locked while the object lives.
  /// Throws Error when it cannot be opened or another process holds it.
  JsonLines(const std::string& path, std::int64_t last_step);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  /// Appends one line; a process killed right afterwards leaves it whole. Throws Error (full disk).
  void write(const nlohmann::ordered_json& line);
  /// Whole lines that were found damaged (no object with a step, or a step out of order), and kept.
  std::int64_t damaged() const { return damaged_; }
  /// Down to the disk: before a checkpoint that counts on these lines.
  void sync();

 private:
  std::string path_;
  int descriptor_ = -1;
  std::int64_t damaged_ = 0;
};

}  // namespace argand
