#pragma once
/// Which of a run's settings may change when it is resumed, and why the others may not.

#include "train/config/run_config.h"

namespace argand {

/// Throws ConfigError with the reason for a setting that a run cannot change on resuming. It can change its length, what it logs,
/// keeps and validates, and the size of its steps.
void require_changeable(const RunConfig& config, const Setting& setting);

/// The changes to the size of the steps, as (key, before, now), in key order, for the log.
struct ChangedNumber {
  std::string key;
  double before = 0, now = 0;
};
std::vector<ChangedNumber> changes_of_rate(const RunConfig& before, const RunConfig& now);

}  // namespace argand
