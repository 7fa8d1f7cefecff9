#pragma once
/// Runs of this very program, several at a time, each in a process of its own, which ends with this one.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace argand {

/// One after the other, until nothing is to be done for it: training, then whatever reads what was trained.
struct SideJob {
  std::string name;    ///< for messages
  std::string folder;  ///< of the run; what its processes print goes to FOLDER.txt
  /// The words of what is to be done next for it; none when all is done.
  std::function<std::vector<std::string>()> next;
};

struct FailedJob {
  std::size_t job = 0;
  int exit_code = 0;        ///< 128 + the signal that ended it
  std::string last_line{};  ///< that it printed
};

struct SideBySide {
  std::string label;      ///< "ablate": before the count of what is done
  std::int64_t jobs = 1;  ///< at a time
  /// Called when all is done for a job that was not at once: what to print of it, after "3 of 12: NAME: ", or nothing.
  std::function<std::string(std::size_t job)> ended;
  /// Called when one has failed.
  std::function<void(const FailedJob&)> failed;
  /// Whether these words count as done even when they fail.
  std::function<bool(const std::vector<std::string>& words)> may_fail = nullptr;

  /// Does them all, showing how far it is where there is a terminal. Returns 0, or the signal that ended it after every process has
  /// saved and ended.
  int run(const std::vector<SideJob>& work) const;
};

}  // namespace argand
