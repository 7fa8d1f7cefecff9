#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"

namespace argand {

double Schedule::at(std::int64_t step) const {
  require(step >= 0, "schedule", "steps are counted from 0, got {}", step);
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  const double x = step < total ? static_cast<double>(step - warmup) / static_cast<double>(total - warmup) : 1;
  return final + 0.5 * (peak - final) * (1 + std::cos(std::numbers::pi * x));
}

void Schedule::validate() const {
  require(std::isfinite(peak) && peak > 0, "schedule", "the learning rate must be positive, got {}", peak);
  require(std::isfinite(final) && final >= 0, "schedule", "the final learning rate must not be negative, got {}", final);
  require(warmup >= 0, "schedule", "the warm-up must not be negative, got {} steps", warmup);
  require(total >= 1, "schedule", "needs at least one step, got {}", total);
  require(warmup <= total, "schedule", "a warm-up of {} steps is longer than the total of {} steps", warmup, total);
}

}  // namespace argand
