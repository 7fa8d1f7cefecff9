#pragma once
/// What a page shows of one run, and how it keeps up with a run that is still training.

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/report/observation.h"

namespace argand {

class RunPage {
 public:
  /// `run`: its folder; `label`: what it is called beside others. Throws Error when there is no checkpoint, or a damaged one.
  RunPage(std::string run, std::string label, ObservationOptions options, SharedData& data);

  /// Everything that apps/report's scripts draw of it.
  const nlohmann::ordered_json& json() const { return page_; }
  /// Looks at the run's files and takes what is new: the log at once, the parameters when the last look at them is ten times as
  /// long ago as it took, so that the training has the processors. Returns whether anything was. Throws Error as the constructor.
  bool refresh(SharedData& data);

 private:
  using Clock = std::chrono::steady_clock;
  /// Sizes and times of files; others when somebody has written them.
  using Stamp = std::vector<std::pair<std::uintmax_t, std::filesystem::file_time_type>>;
  Stamp stamp_of(const std::vector<std::string>& files) const;
  void read_parameters(SharedData& data);
  void read_curves();

  std::string run_, label_;
  ObservationOptions options_;
  nlohmann::ordered_json page_;
  Stamp log_, checkpoints_;
  Clock::time_point looked_{};
  Clock::duration pause_{};
};

}  // namespace argand
