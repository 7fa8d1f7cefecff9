#pragma once
/// Which of a run's settings may change when it is resumed, and why the others may not.

#include "train/config/run_config.h"

namespace argand {

/// Throws ConfigError, with the reason, for a setting that cannot change on resuming. A resumed run can change its length, its step
/// sizes, and what it logs, keeps and validates.
void require_changeable(const RunConfig& config, const Setting& setting);

/// A changed step size: key, old value and new value, for the log. Lists are sorted by key.
struct ChangedNumber {
  std::string key;
  double before = 0, now = 0;
};
std::vector<ChangedNumber> changes_of_rate(const RunConfig& before, const RunConfig& now);

}  // namespace argand
