#include "autograd/check/independent/taylor.h"

#include <algorithm>
#include <array>

namespace argand {
namespace {

/// The noise of φ around 0, from the sixth differences of nine equidistant values, to which a smooth function contributes less than
/// rounding (Hamming, Numerical Methods for Scientists and Engineers, chapter 10).
double noise_around_zero(const std::function<Change(double)>& change) {
  constexpr double spacing = 1e-3;
  constexpr int order = 6;
  std::array<double, 9> d;
  for (std::size_t k = 0; k < d.size(); ++k) d[k] = change(spacing * (static_cast<double>(k) - 4)).value;
  for (std::size_t j = 1; j <= order; ++j)
    for (std::size_t k = 0; k + j < d.size(); ++k) d[k] = d[k + 1] - d[k];
  const double largest = std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])});
  return largest / std::sqrt(924.0);  // a sixth difference multiplies the variance of the noise by Σ_k binomial(6, k)² = 924
}

FittedOrder fitted(const std::vector<TaylorRemainder::Step>& steps, double TaylorRemainder::Step::*part) {
  constexpr std::size_t most = 5;                 // number of steps in two decades
  std::vector<std::pair<double, double>> points;  // log t, log of the quantity
  FittedOrder fit;
  for (std::size_t k = steps.size(); k-- > 0 && points.size() < most;) {
    const TaylorRemainder::Step& s = steps[k];
    if (!(s.*part > 10 * s.floor) || !std::isfinite(s.*part)) continue;
    if (points.empty()) fit.smallest = s.t;
    fit.largest = s.t;
    points.emplace_back(std::log(s.t), std::log(s.*part));
  }
  if (points.size() < 3) return {};
  const auto n = static_cast<double>(points.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& p : points) x += p.first / n, y += p.second / n;
  for (const auto& p : points) xx += (p.first - x) * (p.first - x), xy += (p.first - x) * (p.second - y);
  fit.order = xy / xx;
  fit.steps = static_cast<int>(points.size());
  return fit;
}

}  // namespace

TaylorRemainder taylor_remainder(const std::function<Change(double)>& change, double slope, double slope_error) {
  TaylorRemainder result;
  result.noise = noise_around_zero(change);
  for (int k = 0; k <= 16; ++k) {
    const double t = 0.1 * std::pow(10, -k / 2.0);
    const Change above = change(t), below = change(-t);
    result.steps.push_back({.t = t,
                            .remainder = std::max(std::abs(above.value - t * slope), std::abs(below.value + t * slope)),
                            .bend = std::abs(above.value + below.value),
                            .floor = result.noise + above.rounding + below.rounding + t * slope_error});
  }
  result.remainder = fitted(result.steps, &TaylorRemainder::Step::remainder);
  result.bend = fitted(result.steps, &TaylorRemainder::Step::bend);
  return result;
}

}  // namespace argand
