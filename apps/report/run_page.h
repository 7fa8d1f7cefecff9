#pragma once
/// The part of a page that shows one run, kept up to date while the run trains.

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/report/observation.h"

namespace argand {

class RunPage {
 public:
  /// `run`: its folder; `label`: its name among the runs shown. Throws Error if there is no checkpoint or it is damaged.
  RunPage(std::string run, std::string label, ObservationOptions options, SharedData& data);

  /// All data that the scripts in apps/report draw.
  const nlohmann::ordered_json& json() const { return page_; }
  /// Reads new data from the run's files: the log at once, but the parameters only after waiting ten times as long as the last read
  /// took, to leave the processors to training. Returns whether anything was new. Throws Error like the constructor.
  bool refresh(SharedData& data);

 private:
  using Clock = std::chrono::steady_clock;
  /// Sizes and modification times of files, which change when a file is written.
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
