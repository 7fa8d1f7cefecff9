#pragma once
/// Runs several processes of this program at a time; they end when this one does.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace argand {

/// Commands executed one after another until `next` returns an empty one: training, then commands that use the trained model.
struct ProcessJob {
  std::string name;    ///< the job's name in messages
  std::string folder;  ///< the run's folder; its processes print to FOLDER.txt
  /// Returns the words of the next command; empty when all is done.
  std::function<std::vector<std::string>()> next;
};

struct FailedJob {
  std::size_t job = 0;
  int exit_code = 0;        ///< the process's exit code; 128 + the signal if a signal ended it
  std::string last_line{};  ///< the last line that it printed
};

struct ProcessPool {
  std::string label;      ///< shown before the count of finished jobs, for example "ablate"
  std::int64_t jobs = 1;  ///< processes at a time
  /// Called when a job that had work to do has finished: returns the text to print after "3 of 12: NAME: ", or "".
  std::function<std::string(std::size_t job)> ended;
  /// Called when a job has failed.
  std::function<void(const FailedJob&)> failed;
  /// Whether this command counts as done even if it fails.
  std::function<bool(const std::vector<std::string>& words)> may_fail = nullptr;

  /// Runs all jobs, showing progress on a terminal. Returns 0, or the signal that stopped it once every process has saved and
  /// ended.
  int run(const std::vector<ProcessJob>& work) const;
};

}  // namespace argand
