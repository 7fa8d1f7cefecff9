#pragma once
/// A learning rate to begin with, found in some hundred steps (Smith, "Cyclical learning rates", WACV 2017, section 3.3).

#include <functional>
#include <vector>

#include "train/loop/training_run.h"

namespace argand {

struct RateSearch {
  std::int64_t steps = 200;
  double lowest = 1e-6, highest = 1;  ///< rates of the first step and of the last
};

struct RatePoint {
  double lr = 0;
  double loss = 0;    ///< before the step at this rate
  double smooth = 0;  ///< mean of the losses so far, of which one counts 0.9 times the one after it
};

struct RateCurve {
  std::vector<RatePoint> points;  ///< at rates that rise
  bool diverged = false;          ///< ended early: numbers were no longer finite, or the loss four times the lowest
  /// A tenth of the rate at which the smooth loss was lowest, and at most the rate at which it fell fastest by the logarithm of the
  /// rate; 0 when it never fell.
  double suggestion = 0;
};

/// Rates rise by the same factor from step to step until all steps have been taken or it diverges. The run has then other weights,
/// and should be thrown away. `watch`: called after every step; null for none. Throws ConfigError for rates that do not rise
/// and for fewer than 10 steps.
template <RealScalar R>
RateCurve find_rate(TrainingRun<R>& run, const RateSearch& search, const std::function<void(const RatePoint&)>& watch = nullptr);

/// Evaluates the points: fills in `suggestion`.
double suggested_rate(const std::vector<RatePoint>& points);

}  // namespace argand
