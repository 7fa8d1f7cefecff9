#include "autograd/check/numerical.h"

#include <algorithm>
#include <cmath>

namespace argand {
namespace {

constexpr int more_levels = 10;  // further steps, down to a few units in the last place of x

/// Whether the value is far enough from 0 for a verdict: well beyond its error, and more than rounding.
bool clearly_nonzero(double value, double error, double scale) {
  return std::abs(value) > 10 * error && std::abs(value) > 1e-5 * scale && error < 1e-3 * std::abs(value);
}

/// The samples of one function at one step.
struct Step {
  double step;
  Change below, above;
  bool absorbed() const { return below.value == 0 && above.value == 0; }
  double size() const { return std::max(std::abs(below.value), std::abs(above.value)); }
};

Extrapolation central_of(std::span<const Step> steps) {
  Extrapolation central(2);
  for (const auto& [h, below, above] : steps)
    central.add({h, (above.value - below.value) / (2 * h), (above.rounding + below.rounding) / (2 * h), 1 / h});
  return central;
}

/// Whether changing x by a few units in the last place changes f about as much as any step does: then f is noise, or a wave too
/// fast for double precision, and the two cannot be told apart.
bool is_noise(std::span<const Step> steps) {
  double largest = 0;
  for (const Step& s : steps)
    if (std::isfinite(s.size())) largest = std::max(largest, s.size());
  return steps.back().size() > 1e-4 * largest;
}

/// The five limits in Derivative, from one function's steps (the largest first), ignoring the last `dropped` of them.
Derivative extrapolate(std::span<const Step> steps, std::size_t dropped) {
  Derivative d;
  d.flat = true;
  for (const auto& [h, below, above] : steps)
    d.flat = d.flat && std::abs(below.value) <= 4 * below.rounding && std::abs(above.value) <= 4 * above.rounding;
  // Slopes at large steps count only while they grow no faster than a power: a step into a region where f explodes, as cosh does,
  // contains no information about the derivatives at x.
  double last = 0;
  for (std::size_t k = steps.size(); k-- > 0;) {
    const double rounding = std::max(steps[k].below.rounding, steps[k].above.rounding), slope = steps[k].size() / steps[k].step;
    if (!std::isfinite(slope) || (last > 0 && slope > 40 * last)) break;
    d.magnitude = std::max(d.magnitude, rounding / double_epsilon);
    if (steps[k].size() <= 100 * rounding) continue;
    last = slope;
    if (steps[k].step >= 1e-3 * steps[0].step) d.variation = std::max(d.variation, slope);
  }
  if (std::all_of(steps.begin(), steps.end(), [](const Step& s) { return s.absorbed(); })) {
    // Constant at all steps: all five limits are 0, up to rounding divided by the largest step.
    d.left.error = d.right.error = steps[0].above.rounding / steps[0].step;
    d.central.error = d.jump_left.error = d.jump_right.error = d.left.error;
    return d;
  }
  Extrapolation left(1), right(1), jump_left(1), jump_right(1);
  for (const auto& [h, below, above] : steps.first(steps.size() - dropped)) {
    left.add({h, -below.value / h, below.rounding / h, 1 / h});
    right.add({h, above.value / h, above.rounding / h, 1 / h});
    jump_left.add({h, below.value, below.rounding, 1});
    jump_right.add({h, above.value, above.rounding, 1});
  }
  d.central = central_of(steps.first(steps.size() - dropped)).limit();
  d.left = left.limit();
  d.right = right.limit();
  d.jump_left = jump_left.limit();
  d.jump_right = jump_right.limit();
  return d;
}

class Differentiation {
 public:
  Differentiation(const Changes& changes, double x, std::size_t count, const RiddersOptions& options)
      : changes_(changes), x_(x), options_(options), steps_(count), below_(count), above_(count) {}

  std::vector<Derivative> run() {
    double h = options_.first_step * std::max(1.0, std::abs(x_));
    for (int level = 0; level < options_.levels || (level < options_.levels + more_levels && needs_finer_steps()); ++level) {
      const double step = evaluate(h);
      h /= options_.contraction;
      for (std::size_t k = 0; k < steps_.size(); ++k) steps_[k].push_back({step, below_[k], above_[k]});
    }
    std::vector<Derivative> result;
    for (std::size_t k = 0; k < steps_.size(); ++k) result.push_back(extrapolate(steps_[k], uninformative_steps(k)));
    if (steps_[0].size() == static_cast<std::size_t>(options_.levels + more_levels))
      for (std::size_t k = 0; k < steps_.size(); ++k)
        if (is_noise(steps_[k])) result[k].central.error = std::numeric_limits<double>::infinity();
    classify(result);
    return result;
  }

 private:
  /// Returns the step after rounding x + h; x − h is then exact as well, so the arguments have no rounding error.
  double evaluate(double h) {
    const double step = (x_ + h) - x_;
    changes_(x_ - step, below_);
    changes_(x_ + step, above_);
    return step;
  }

  /// Whether smaller steps could help for some function: the smallest so far contradicts the others, or the bar is wide but not
  /// because of rounding. Smaller steps resolve a fast wave or a nearby kink; what remains is noise.
  bool needs_finer_steps() const {
    return std::any_of(steps_.begin(), steps_.end(), [](const std::vector<Step>& steps) {
      const auto& [h, below, above] = steps.back();
      double size = 0;
      for (const Step& s : steps) size = std::max(size, s.size() / s.step);
      if (size == 0) return false;
      const Estimate limit = central_of(steps).limit();
      const double rounding = (below.rounding + above.rounding) / (2 * h);
      const double off = std::abs((above.value - below.value) / (2 * h) - limit.value);
      if (!steps.back().absorbed() && off > limit.error + 16 * rounding) return true;
      return limit.error > 1e-9 * size && limit.error > 100 * rounding;
    });
  }

  /// How many of the smallest steps carry no information. A function computed via float32 is constant between two
  /// neighbours of that type: such steps are no evidence for a derivative of 0, however well they agree. But relu(x) + 1, far from
  /// its kink, is constant too, and so is sign(x). f counts as a staircase if, where the constant stretch ends, it jumps to another
  /// constant stretch, with more of them further out.
  std::size_t uninformative_steps(std::size_t k) {
    const std::vector<Step>& steps = steps_[k];
    std::size_t still = 0;
    while (still < steps.size() && steps[steps.size() - 1 - still].absorbed()) ++still;
    if (still == 0 || still == steps.size()) return 0;
    const Step* moves = &steps[steps.size() - 1 - still];
    const double rounding = 4 * (moves->below.rounding + moves->above.rounding), seen = moves->size();
    if (seen <= rounding) return 0;  // the change is absorbed, as rounding predicts
    std::size_t treads = 1;
    for (const Step* step = moves; step != steps.data(); --step) treads += step[-1].size() != step->size() ? 1 : 0;
    if (treads < 4) return 0;
    const auto at = [&](double h) {
      evaluate(h);
      return Step{h, below_[k], above_[k]};
    };
    double low = moves[1].step, high = moves->step;
    Step edge = *moves;
    for (int i = 0; i < 40 && low < 0.5 * (low + high) && edge.size() > 1e-6 * seen + rounding; ++i) {
      const Step between = at(0.5 * (low + high));
      (between.absorbed() ? low : high) = between.step;
      if (!between.absorbed()) edge = between;
    }
    if (edge.size() <= 1e-6 * seen + rounding) return 0;
    const Step beyond = at(high * (1 + 1e-9));
    return beyond.below.value == edge.below.value && beyond.above.value == edge.above.value ? still : 0;
  }

  void classify(std::vector<Derivative>& result) const {
    double size = 0;
    for (Derivative& d : result)
      for (const Estimate* e : {&d.central, &d.left, &d.right})
        if (std::isfinite(e->error)) size = std::max(size, std::abs(e->value));
    for (Derivative& d : result) {
      d.scale = size;
      d.jump =
          clearly_nonzero(d.jump_left.value, d.jump_left.error, 0) || clearly_nonzero(d.jump_right.value, d.jump_right.error, 0);
      d.kink = !d.jump && clearly_nonzero(d.right.value - d.left.value, d.left.error + d.right.error, size);
    }
  }

  const Changes& changes_;
  double x_;
  const RiddersOptions& options_;
  std::vector<std::vector<Step>> steps_;  // per function, from the largest step to the smallest
  std::vector<Change> below_, above_;
};

}  // namespace

std::vector<Extrapolation::Row> Extrapolation::tableau() const {
  std::vector<Row> rows(samples_.size());
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    Row& row = rows[k];
    const Sample& sample = samples_[k];
    if (!std::isfinite(sample.value) || !std::isfinite(sample.rounding)) continue;  // extrapolation starts anew at the next row
    row.entry[row.columns++] = {sample.value, sample.rounding, sample.leverage};
    for (std::size_t j = 1; j < most_columns && k > 0 && j <= rows[k - 1].columns; ++j) {
      const double ratio = samples_[k - j].step / sample.step, factor = (power_ == 2 ? ratio * ratio : ratio) - 1;
      const Entry &parent = row.entry[j - 1], &older = rows[k - 1].entry[j - 1];
      row.entry[row.columns++] = {parent.value + (parent.value - older.value) / factor,
                                  parent.rounding + (parent.rounding + older.rounding) / factor,
                                  parent.leverage + (parent.leverage + older.leverage) / factor};
    }
  }
  return rows;
}

std::vector<double> Extrapolation::noise(const std::vector<Row>& rows) const {
  const std::size_t column = power_ == 2 ? 2 : 3;
  std::vector<double> noise(rows.size() + 1, 0);
  for (std::size_t k = rows.size(); k-- > 1;) {
    noise[k] = noise[k + 1];
    if (rows[k].columns <= column || rows[k - 1].columns <= column) continue;
    const Entry &here = rows[k].entry[column], &before = rows[k - 1].entry[column];
    noise[k] = std::max(noise[k], std::abs(here.value - before.value) / here.leverage);
  }
  return noise;
}

Estimate Extrapolation::limit() const {
  const std::vector<Row> rows = tableau();
  const std::vector<double> noise = this->noise(rows);
  constexpr std::size_t measurements = 4;  // at least this many measurements of the noise
  Estimate best;
  for (std::size_t k = rows.size() > measurements + 1 ? rows.size() - measurements - 1 : 0; k-- > 1;)
    for (std::size_t j = 1; j < std::min(rows[k].columns, rows[k - 1].columns); ++j) {
      const Entry &entry = rows[k].entry[j], &parent = rows[k].entry[j - 1];
      const Entry &older = rows[k - 1].entry[j - 1], &before = rows[k - 1].entry[j];
      const double distance = std::max(
          {std::abs(entry.value - parent.value), std::abs(entry.value - older.value), std::abs(entry.value - before.value)});
      const double error = distance + entry.rounding + 4 * noise[k + 1] * entry.leverage;
      const bool contradicts = std::abs(entry.value - best.value) > error + best.error;
      if (!contradicts && error <= best.error) best = {entry.value, error};
    }
  return best;
}

std::vector<Derivative> differentiate(const Changes& changes, double x, std::size_t count, const RiddersOptions& options) {
  return Differentiation(changes, x, count, options).run();
}

Derivative differentiate(const std::function<double(double)>& f, double x, const RiddersOptions& options) {
  const double centre = f(x);
  const Changes changes = [&](double t, std::span<Change> change) {
    const double y = f(t);
    change[0] = {y - centre, double_epsilon * std::max(std::abs(y), std::abs(centre))};
  };
  return differentiate(changes, x, 1, options).front();
}

}  // namespace argand
