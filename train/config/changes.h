#pragma once
/// Which of a run's settings may change when it is resumed, and why the others may not.

#include "train/config/run_config.h"

namespace argand {

/// Throws ConfigError, with the reason, for a setting that cannot change on resuming. A resumed run can change its length, what it
/// logs, keeps and validates, and its step sizes.
void require_changeable(const RunConfig& config, const Setting& setting);

/// Changes to the step sizes, as (key, before, now), sorted by key, for the log.
struct ChangedNumber {
  std::string key;
  double before = 0, now = 0;
};
std::vector<ChangedNumber> changes_of_rate(const RunConfig& before, const RunConfig& now);

}  // namespace argand
