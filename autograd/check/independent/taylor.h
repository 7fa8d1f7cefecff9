#pragma once
/// The order of a Taylor remainder: a gradient is correct if the remainder has no first-order term. For φ(t), t real, and a claimed
/// slope φ'(0),
///
///     r(t) = |φ(t) − φ(0) − t slope|
///
/// falls like t² (or faster) if the slope is correct, and like t if it is wrong. No derivative is estimated, only an exponent.

#include <functional>
#include <vector>

#include "autograd/check/numerical.h"

namespace argand {

/// Least-squares fit of remainder ~ t^order on a log-log scale, over the steps from `smallest` to `largest`.
struct FittedOrder {
  double order = 0;
  double smallest = 0, largest = 0;
  int steps = 0;  ///< number of steps fitted; 0 if fewer than three rise above rounding
};

struct TaylorRemainder {
  struct Step {
    double t;
    double remainder;  ///< the larger of r(t) and r(−t)
    double bend;       ///< |φ(t) + φ(−t) − 2 φ(0)|, independent of the slope: like t² where φ is smooth, like t at a kink
    double floor;      ///< rounding, noise, and the contribution of the allowed error of the slope
  };
  std::vector<Step> steps;  ///< from t = 0.1 down to 1e-9, each step √10 times shorter
  double noise = 0;         ///< noise of φ, beyond its rounding
  /// Fitted over the smallest steps, at most two decades, whose remainder is more than ten times the floor: higher orders affect
  /// larger steps, and rounding dominates smaller ones.
  FittedOrder remainder, bend;
};

/// `change` is φ(t) − φ(0); `slope_error` is how far the slope may be from φ'(0).
TaylorRemainder taylor_remainder(const std::function<Change(double t)>& change, double slope, double slope_error);

}  // namespace argand
