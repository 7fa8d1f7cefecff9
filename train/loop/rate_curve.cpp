#include "train/loop/rate_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace argand {

std::string text_of(const RateCurve& curve) {
  if (curve.points.empty()) return "the first step is not finite\n";
  std::string text = fmt::format("{:>10}  {:>10}\n", "rate", "loss");
  const auto [low, high] = std::minmax_element(curve.points.begin(), curve.points.end(),
                                               [](const RatePoint& a, const RatePoint& b) { return a.smooth < b.smooth; });
  double next = 0;
  for (const RatePoint& point : curve.points) {
    if (point.lr < next) continue;
    next = point.lr * std::pow(10, 0.25);
    const double share = (point.smooth - low->smooth) / std::max(high->smooth - low->smooth, 1e-12);
    text += fmt::format("{:>10.2g}  {:>10.4f}  {}\n", point.lr, point.smooth,
                        std::string(static_cast<std::size_t>(1 + 39 * share), '*'));
  }
  if (curve.diverged) text += fmt::format("the loss diverges above {:.2g}\n", curve.points.back().lr);
  if (curve.suggestion > 0)
    text += fmt::format("suggestion: `lr` {:.1e}\n", curve.suggestion);
  else
    text += fmt::format("the loss did not fall at any rate; try more steps\n");
  return text;
}

}  // namespace argand
