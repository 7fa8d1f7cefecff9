#pragma once
/// What of a run's configuration may change when it is resumed, and why the rest may not.

#include "train/config/run_config.h"

namespace argand {

/// Throws ConfigError, which gives the reason, for a setting that a run cannot change on its way. It may change how long it goes
/// on, what it logs, keeps and validates, and how large its steps are.
void require_changeable(const RunConfig& config, const Setting& setting);

/// What is different about the size of the steps, as (key, before, now), in the order of the keys: what a log has to say.
struct ChangedNumber {
  std::string key;
  double before = 0, now = 0;
};
std::vector<ChangedNumber> changes_of_rate(const RunConfig& before, const RunConfig& now);

}  // namespace argand
