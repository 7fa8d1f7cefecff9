#include "lab/portrait/portrait_field.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "autograd/tape.h"
#include "lab/expression/expression_point.h"

namespace argand {
namespace {

using C = std::complex<double>;
using Magnitudes = std::vector<double>;
/// A nonnegative function whose zeros are sought, evaluated at many points at once.
using Height = std::function<Magnitudes(const std::vector<C>&)>;

constexpr std::int64_t grid = 64;
constexpr int ring_points = 256;
constexpr double infinite = std::numeric_limits<double>::infinity();

double magnitude_of(C w) { return std::isnan(w.real()) || std::isnan(w.imag()) ? infinite : std::abs(w); }

Magnitudes moduli_of(const std::vector<C>& values) {
  Magnitudes sizes(values.size());
  std::transform(values.begin(), values.end(), sizes.begin(), magnitude_of);
  return sizes;
}

double median_of(Magnitudes sizes) {
  std::erase_if(sizes, [](double size) { return !std::isfinite(size); });
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

std::vector<C> ring_around(C centre, double radius) {
  std::vector<C> ring;
  for (int k = 0; k < ring_points; ++k) ring.push_back(centre + std::polar(radius, 2 * std::numbers::pi * k / ring_points));
  return ring;
}

/// Grid points whose value is no larger than that of any of their eight neighbours.
std::vector<C> lowest_points(const std::vector<C>& points, const Magnitudes& heights) {
  std::vector<C> lowest;
  const auto at = [&](std::int64_t row, std::int64_t column) { return heights[static_cast<std::size_t>(row * grid + column)]; };
  for (std::int64_t row = 0; row < grid; ++row)
    for (std::int64_t column = 0; column < grid; ++column) {
      bool low = true;
      for (std::int64_t i = std::max<std::int64_t>(0, row - 1); i <= std::min(grid - 1, row + 1); ++i)
        for (std::int64_t j = std::max<std::int64_t>(0, column - 1); j <= std::min(grid - 1, column + 1); ++j)
          low = low && at(row, column) <= at(i, j);
      if (low) lowest.push_back(points[static_cast<std::size_t>(row * grid + column)]);
    }
  return lowest;
}

/// Moves each point to the lowest of eight neighbours, or halves its step if none is lower; handles all points at once.
void descend(std::vector<C>& points, const Height& height, double step) {
  std::vector<double> steps(points.size(), step);
  for (int iteration = 0; iteration < 120; ++iteration) {
    std::vector<C> tried;
    for (std::size_t k = 0; k < points.size(); ++k)
      for (const double x : {0.0, -1.0, 1.0})
        for (const double y : {0.0, -1.0, 1.0}) tried.push_back(points[k] + steps[k] * C(x, y));
    const Magnitudes heights = height(tried);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto first = heights.begin() + static_cast<std::ptrdiff_t>(9 * k);
      const auto best = std::min_element(first, first + 9) - first;
      if (best == 0) steps[k] /= 2;
      points[k] = tried[9 * k + static_cast<std::size_t>(best)];
    }
  }
}

/// Isolated zeros within the square: points where the function is negligible compared with its median, but not around them.
std::vector<C> isolated_zeros(const Height& height, double low, double high) {
  const std::vector<C> points = square_of_points(low, high, grid);
  const Magnitudes heights = height(points);
  const double cell = (high - low) / grid, ordinary = median_of(heights);
  std::vector<C> found = lowest_points(points, heights), zeros;
  if (found.empty() || found.size() > 400 || ordinary == 0) return zeros;  // a plateau yields hundreds
  descend(found, height, cell);
  const Magnitudes left = height(found);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const C z = found[k];
    const bool inside = std::min(z.real(), z.imag()) >= low && std::max(z.real(), z.imag()) <= high;
    const bool new_one = std::none_of(zeros.begin(), zeros.end(), [&](C other) { return std::abs(z - other) < 0.64 * cell; });
    if (!inside || !new_one || left[k] > 1e-6 * ordinary) continue;
    const Magnitudes around = height(ring_around(z, cell / 2));
    const auto [lowest, highest] = std::minmax_element(around.begin(), around.end());
    if (*lowest > 0.02 * *highest && std::isfinite(*highest)) zeros.push_back(z);
  }
  return zeros;
}

/// The winding number around 0 of a closed sequence of numbers, counterclockwise.
int winding(const std::vector<C>& ring) {
  double turned = 0;
  for (std::size_t k = 0; k < ring.size(); ++k) turned += std::arg(ring[(k + 1) % ring.size()] * std::conj(ring[k]));
  return static_cast<int>(std::lround(turned / (2 * std::numbers::pi)));
}

}  // namespace

std::vector<C> square_of_points(double low, double high, std::int64_t side) {
  const double step = (high - low) / static_cast<double>(side);
  std::vector<C> points;
  for (std::int64_t i = 0; i < side * side; ++i)
    points.emplace_back(low + (static_cast<double>(i % side) + 0.5) * step, high - (static_cast<double>(i / side) + 0.5) * step);
  return points;
}

PortraitField portrait_field(const Expression& f, const std::vector<C>& points) {
  Tensor<C> at({static_cast<std::int64_t>(points.size())});
  std::copy(points.begin(), points.end(), at.data());
  const Complex z = variable(at);
  const AnyVar w = f({z});
  const Real loss = loss_of(w);  // a sum over points, so the gradient at each point is that of its own term
  if (loss.requires_grad()) backward(loss);
  PortraitField field{.values = {}, .gradients = {}, .real_valued = w.index() == 0};
  std::visit([&](const auto& v) { field.values.assign(v.value().begin(), v.value().end()); }, w);
  const Tensor<C> g = z.grad();
  field.gradients.assign(g.begin(), g.end());
  field.values.resize(points.size(), field.values.empty() ? 0 : field.values.front());  // a constant has a single value
  return field;
}

std::vector<Mark> portrait_marks(const Expression& f, double low, double high) {
  const Height value = [&](const std::vector<C>& points) { return moduli_of(portrait_field(f, points).values); };
  const Height inverse = [&](const std::vector<C>& points) {
    Magnitudes sizes = value(points);
    for (double& size : sizes) size = 1 / size;
    return sizes;
  };
  const Height slope = [&](const std::vector<C>& points) { return moduli_of(portrait_field(f, points).gradients); };

  std::vector<Mark> marks;
  for (const C z : isolated_zeros(value, low, high)) marks.push_back({MarkKind::Zero, z});
  for (const C z : isolated_zeros(inverse, low, high)) marks.push_back({MarkKind::Pole, z});
  for (const C z : isolated_zeros(slope, low, high)) {
    const double near = (high - low) / grid / 4;
    const PortraitField ring = portrait_field(f, ring_around(z, near)), centre = portrait_field(f, {z});
    const int turns = winding(ring.gradients);
    if (turns < 0) marks.push_back({MarkKind::Saddle, z});
    if (turns == 1)
      marks.push_back({ring.values.front().real() > centre.values.front().real() ? MarkKind::Minimum : MarkKind::Maximum, z});
  }
  return marks;
}

std::vector<C> portrait_path(const Expression& f, C z, double rate, bool conjugated, int steps) {
  std::vector<C> path = {z};
  for (int step = 0; step < steps; ++step) {
    const C g = portrait_field(f, {z}).gradients.front();
    z -= rate * (conjugated ? std::conj(g) : g);
    if (!std::isfinite(std::abs(z))) break;
    path.push_back(z);
  }
  return path;
}

double colour_scale(const std::vector<C>& values) {
  const double ordinary = median_of(moduli_of(values));
  return ordinary == 0 || (ordinary >= 0.25 && ordinary <= 4) ? 1 : std::exp2(std::round(std::log2(ordinary)));
}

}  // namespace argand
