#include "autograd/check/function/noisy_slope.h"

#include <algorithm>
#include <array>

namespace argand {
namespace {

constexpr std::size_t most_terms = 4;
constexpr int half = 64;        // values on either side of 0
constexpr double reach = 0.25;  // values are sampled for |t| ≤ reach

using Line = std::vector<double>;  // φ(t) − φ(0) at equidistant t, in increasing order

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Absolute sixth differences, to which a smooth function contributes less than rounding does (Hamming, Numerical Methods for
/// Scientists and Engineers, chapter 10), scaled to the standard deviation of the noise: Σ_k binomial(6, k)² = 924.
std::vector<double> sixth_differences(Line d) {
  constexpr std::size_t order = 6;
  for (std::size_t j = 1; j <= order; ++j)
    for (std::size_t k = 0; k + j < d.size(); ++k) d[k] = d[k + 1] - d[k];
  d.resize(d.size() - order);
  for (double& x : d) x = std::abs(x) / std::sqrt(924.0);
  return d;
}

/// The values φ(t) − φ(0), one line per function.
std::vector<Line> sampled(const Changes& changes, std::size_t count, int each_side, double spacing) {
  std::vector<Line> lines(count);
  std::vector<Change> change(count);
  for (int j = -each_side; j <= each_side; ++j) {
    if (j != 0)
      changes(spacing * j, change);
    else
      std::fill(change.begin(), change.end(), Change{});
    for (std::size_t k = 0; k < count; ++k) lines[k].push_back(change[k].value);
  }
  return lines;
}

/// Whether φ, on one side of 0, is flat although it changes further out, or jumps irregularly.
bool is_rough(const Line& side, double expected) {
  double largest = 0;
  for (std::size_t k = 0; k + 1 < side.size(); ++k) largest = std::max(largest, std::abs(side[k + 1] - side[k]));
  if (largest < 1e-3 * expected) return true;
  const std::vector<double> sixth = sixth_differences(side);
  return *std::max_element(sixth.begin(), sixth.end()) > 0.02 * largest;
}

/// Whether φ, at points close to 0, is smooth on neither side of 0; a kink at 0 leaves both sides smooth. `expected`: the change
/// expected from one point to the next.
bool is_rough(const Line& near, double expected, double allowed) {
  if (expected < 100 * allowed) return false;  // a change too small for double precision to show
  const auto middle = near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2);
  return is_rough(Line(near.begin(), middle), expected) && is_rough(Line(middle + 1, near.end()), expected);
}

/// The median responds to a staircase, where half of the differences are large, but not to a kink or two, where very few are.
double noise_of(const Line& line) { return median(sixth_differences(line)) / 0.6745; }

/// Noise does not depend on the spacing, whereas a smooth function's sixth differences grow 64-fold at twice the spacing.
bool depends_on_spacing(const Line& line, double measured) {
  Line every_other;
  for (std::size_t k = 0; k < line.size(); k += 2) every_other.push_back(line[k]);
  return noise_of(every_other) > 20 * measured;
}

/// The value at the j-th point from 0.
double value_at(const Line& line, int j) { return line[static_cast<std::size_t>(half + j)]; }

/// Least-squares fit of the first `terms` terms of the odd part, c₁t + c₃t³ + c₅t⁵ + c₇t⁷, or the even part,
/// c₁|t| + c₂t² + c₄t⁴ + c₆t⁶; t in units of `reach`. The slope is c₁.
enum class Part { Odd, Even };
struct Fit {
  double slope = 0, deviation = 0, residual = 0;
};
Fit fitted(const Line& line, Part part, int points, std::size_t terms) {
  std::vector<std::array<double, most_terms>> rows;
  std::vector<double> values;
  for (int j = 1; j <= points; ++j) {
    const double t = static_cast<double>(j) / half, t2 = t * t, first = part == Part::Odd ? t * t2 : t2;
    rows.push_back({t, first, first * t2, first * t2 * t2});
    const double right = value_at(line, j), left = value_at(line, -j);
    values.push_back((part == Part::Odd ? right - left : right + left) / 2);
  }
  const auto solve = [&](const std::array<double, most_terms>& right) {
    std::array<std::array<double, most_terms + 1>, most_terms> a = {};  // normal equations, right-hand side last
    for (std::size_t p = 0; p < terms; ++p) {
      for (std::size_t q = 0; q < terms; ++q)
        for (const auto& row : rows) a[p][q] += row[p] * row[q];
      a[p][most_terms] = right[p];
    }
    for (std::size_t p = 0; p < terms; ++p)  // positive definite, so no pivoting is needed
      for (std::size_t q = 0; q < terms; ++q) {
        if (q == p) continue;
        const double factor = a[q][p] / a[p][p];
        for (std::size_t r = p; r <= most_terms; ++r) a[q][r] -= factor * a[p][r];
      }
    std::array<double, most_terms> x = {};
    for (std::size_t p = 0; p < terms; ++p) x[p] = a[p][most_terms] / a[p][p];
    return x;
  };
  std::array<double, most_terms> right = {};
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t p = 0; p < terms; ++p) right[p] += rows[k][p] * values[k];
  const std::array<double, most_terms> c = solve(right), first_column_of_inverse = solve({1, 0, 0});
  double squares = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double r = values[k];
    for (std::size_t p = 0; p < terms; ++p) r -= c[p] * rows[k][p];
    squares += r * r;
  }
  return {c[0] / reach, std::sqrt(first_column_of_inverse[0]) / reach,
          std::sqrt(squares / static_cast<double>(rows.size() - terms))};
}

/// The fit with the smallest error among those whose residual is within the noise: more terms follow φ more closely, and a longer
/// line averages out more noise. The change caused by one more term counts as error and must be within what noise explains.
Estimate best_fit(const Line& line, Part part, double noise) {
  Estimate best;
  for (int points = half; points >= half / 8; points /= 2)
    for (std::size_t terms = part == Part::Odd ? 1 : 2; terms < most_terms; ++terms) {
      const Fit fit = fitted(line, part, points, terms), next = fitted(line, part, points, terms + 1);
      const double level = std::max(noise, fit.residual), missing = std::abs(next.slope - fit.slope);
      if (!(fit.residual <= 1.5 * noise && missing <= 4 * next.deviation * level)) continue;
      const double error = 4 * fit.deviation * level + missing;
      if (error < best.error) best = {fit.slope, error};
    }
  return best;
}

NoisySlope best_fit(const Line& line, double noise) {
  const Estimate slope = best_fit(line, Part::Odd, noise), bend = best_fit(line, Part::Even, noise);
  double uneven = 0;
  for (int j = 1; j <= half; ++j) uneven = std::max(uneven, std::abs(value_at(line, j) - value_at(line, -j)));
  const bool symmetric = uneven < 0.1 * noise;  // the slope is 0 with or without a kink
  const bool seen = std::isfinite(bend.error) && (symmetric || std::abs(bend.value) > bend.error);
  return {slope, noise, seen ? std::abs(bend.value) + bend.error : 0};
}

}  // namespace

std::vector<std::optional<NoisySlope>> noisy_slopes(const Changes& changes, const std::vector<double>& allowed,
                                                    const std::vector<double>& stated) {
  const std::size_t count = allowed.size();
  constexpr double close = 1e-9, closer_than = 1e-6;
  const std::vector<Line> wide = sampled(changes, count, half, reach / half);
  std::vector<std::optional<NoisySlope>> result(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Line& line = wide[k];
    if (std::any_of(line.begin(), line.end(), [](double x) { return !std::isfinite(x); })) continue;
    double furthest = 0;
    for (const double x : line) furthest = std::max(furthest, std::abs(x));
    const double measured = noise_of(line);
    if (stated[k] <= 0) {
      if (!(measured > 50 * allowed[k]) || depends_on_spacing(line, measured)) continue;
      const double slope = furthest / reach;
      const double spacing = std::max(close, 200 * allowed[k] / slope);
      if (spacing > closer_than || !is_rough(sampled(changes, count, 8, spacing)[k], slope * spacing, allowed[k])) continue;
    }
    result[k] = best_fit(line, std::max(measured, stated[k]));
  }
  return result;
}

std::vector<NoisySlope> fitted_slopes(const Changes& changes, std::size_t count) {
  std::vector<NoisySlope> fits;
  for (const Line& line : sampled(changes, count, half, reach / half)) fits.push_back(best_fit(line, noise_of(line)));
  return fits;
}

}  // namespace argand
