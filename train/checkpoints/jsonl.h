#pragma once
/// The log of a run: one JSON object per line, each with a "step".

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace argand {

/// Calls f(line, end) for every line of a log in turn: its object, or null for a damaged line (not an object with an integer
/// "step"), and the offset of the line's end in bytes. Ignores an unfinished last line, which is still being written, and a missing
/// file.
void for_each_line(const std::string& path, const std::function<void(nlohmann::ordered_json line, std::int64_t end)>& f);

class JsonLines {
 public:
  /// Opens (or creates) the file and drops what a run wrote after the checkpoint from which it now resumes: the lines of later
  /// steps at its end, and a half-written last line. Earlier damaged lines are kept. last_step = -1 drops all. The file stays
  /// locked while the object lives. Throws Error when it cannot be opened or another process holds it.
  JsonLines(const std::string& path, std::int64_t last_step);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  /// Appends one line, which survives even if the process is killed right afterwards. Throws Error (full disk).
  void write(const nlohmann::ordered_json& line);
  /// The number of complete but damaged lines found (no object with a step, or a step out of order), which were kept.
  std::int64_t damaged() const { return damaged_; }
  /// Flushes to disk: call before a checkpoint that relies on these lines.
  void sync();

 private:
  std::string path_;
  int descriptor_ = -1;
  std::int64_t damaged_ = 0;
};

}  // namespace argand
