#pragma once
/// The log of a run: one JSON object per line, each with a "step".

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace argand {

/// Calls f(line, end) for each line of a log with its object, or null for a damaged line (not an object with an integer "step"),
/// and the byte offset of the line's end. Ignores an incomplete last line, which is still being written, and a missing file.
void for_each_line(const std::string& path, const std::function<void(nlohmann::ordered_json line, std::int64_t end)>& f);

class JsonLines {
 public:
  /// Opens or creates the file. Drops everything written after the checkpoint from which the run resumes: trailing lines of later
  /// steps, and an incomplete last line. Earlier damaged lines are kept. last_step = -1 drops everything. The file stays locked
  /// during the object's lifetime. Throws Error if it cannot be opened or if another process holds the lock.
  JsonLines(const std::string& path, std::int64_t last_step);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  /// Appends one line, which survives even if the process is killed right afterwards. Throws Error, e.g. if the disk is full.
  void write(const nlohmann::ordered_json& line);
  /// The number of damaged lines found (no object with a step, or a step out of order), which were kept.
  std::int64_t damaged() const { return damaged_; }
  /// Flushes to disk. Call it before writing a checkpoint that relies on these lines.
  void sync();

 private:
  std::string path_;
  int descriptor_ = -1;
  std::int64_t damaged_ = 0;
};

}  // namespace argand
