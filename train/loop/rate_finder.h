#pragma once
/// Finds a learning rate to start with in a few hundred steps (Smith, "Cyclical learning rates", WACV 2017, section 3.3).

#include <functional>
#include <vector>

#include "train/loop/training_run.h"

namespace argand {

struct RateSearch {
  std::int64_t steps = 200;
  double lowest = 1e-6, highest = 1;  ///< rates of the first and the last step
};

struct RatePoint {
  double lr = 0;
  double loss = 0;    ///< loss before the step at this rate
  double smooth = 0;  ///< weighted mean of the losses so far; each has 0.9 times the weight of the next
};

struct RateCurve {
  std::vector<RatePoint> points;  ///< sorted by rate
  bool diverged = false;          ///< ended early: a value was not finite, or the smooth loss exceeded four times its minimum
  /// A tenth of the rate with the lowest smooth loss, or the rate at which the smooth loss fell fastest per logarithm of the rate,
  /// whichever is lower; 0 if it never fell.
  double suggestion = 0;
};

/// Raises the rate by a constant factor per step until all steps are taken or the loss diverges. Training changes the weights, so
/// discard the run afterwards. `watch` is called after every step; it may be null. Throws ConfigError for rates that do not
/// increase and for fewer than 10 steps.
template <RealScalar R>
RateCurve find_rate(TrainingRun<R>& run, const RateSearch& search, const std::function<void(const RatePoint&)>& watch = nullptr);

/// The suggested rate for these points.
double suggested_rate(const std::vector<RatePoint>& points);

}  // namespace argand
