#include "train/loop/rate_finder.h"

#include <algorithm>
#include <cmath>

#include "train/config/config_error.h"

namespace argand {

double suggested_rate(const std::vector<RatePoint>& points) {
  if (points.size() < 3) return 0;
  // Skip the first tenth: its means cover too few losses, so they are noisy, and its steps were too small to matter.
  const auto first = points.begin() + static_cast<std::ptrdiff_t>(points.size() / 10);
  const auto lowest = std::min_element(first, points.end(), [](const auto& a, const auto& b) { return a.smooth < b.smooth; });
  if (lowest - first < 2 || !(lowest->smooth < first->smooth)) return 0;
  // Compute slopes over a seventh of the range, so that they do not depend on noise between steps.
  const auto span = std::max<std::ptrdiff_t>(1, (lowest - first) / 7);
  double steepest = 0, at = lowest->lr;
  for (auto p = first; p + span <= lowest; ++p) {
    const double slope = (p[span].smooth - p->smooth) / std::log(p[span].lr / p->lr);
    if (slope < steepest) steepest = slope, at = std::sqrt(p->lr * p[span].lr);
  }
  return std::min(at, lowest->lr / 10);
}

template <RealScalar R>
RateCurve find_rate(TrainingRun<R>& run, const RateSearch& search, const std::function<void(const RatePoint&)>& watch) {
  if (search.steps < 10) config_fail("find_lr", "requires at least 10 steps, got {}", search.steps);
  if (!(search.lowest > 0 && search.lowest < search.highest && std::isfinite(search.highest)))
    config_fail("find_lr", "rates must be positive and increasing, got {} to {}", search.lowest, search.highest);
  constexpr double memory = 0.9;
  RateCurve curve;
  double sum = 0, weight = 0, best = 0;
  for (std::int64_t k = 0; k < search.steps; ++k) {
    const double done = static_cast<double>(k) / static_cast<double>(search.steps - 1);
    RatePoint point{.lr = search.lowest * std::pow(search.highest / search.lowest, done)};
    try {
      point.loss = run.step(point.lr).cross_entropy;
    } catch (const NonFiniteStep&) {
      curve.diverged = true;
      break;
    }
    sum = memory * sum + point.loss, weight = memory * weight + 1;
    point.smooth = sum / weight;
    curve.points.push_back(point);
    if (watch) watch(point);
    best = k == 0 ? point.smooth : std::min(best, point.smooth);
    if (point.smooth > 4 * best) {
      curve.diverged = true;
      break;
    }
  }
  curve.suggestion = suggested_rate(curve.points);
  return curve;
}

#define ARGAND_FIND_RATE(R) \
  template RateCurve find_rate(TrainingRun<R>&, const RateSearch&, const std::function<void(const RatePoint&)>&);
ARGAND_FOR_REAL(ARGAND_FIND_RATE)

}  // namespace argand
