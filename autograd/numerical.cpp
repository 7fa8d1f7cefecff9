#include "autograd/numerical.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace argand {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The five limits that one function's samples go into.
struct Limits {
  Extrapolation central, left, right, jump_left, jump_right;
  explicit Limits(double c) : central(2, 2, c), left(1, 1, c), right(1, 1, c), jump_left(1, 1, c), jump_right(1, 1, c) {}

  void add(Change below, Change above, double below_step, double above_step) {
    const double span = below_step + above_step;
    central.add((above.value - below.value) / span, (above.rounding + below.rounding) / span);
    left.add(-below.value / below_step, below.rounding / below_step);
    right.add(above.value / above_step, above.rounding / above_step);
    jump_left.add(below.value, below.rounding);
    jump_right.add(above.value, above.rounding);
  }
};

/// Far enough from 0 for a verdict: well beyond its error, and no rounding.
bool clearly_nonzero(double value, double error, double scale) {
  return std::abs(value) > 10 * error && std::abs(value) > 1e-5 * scale && error < 1e-3 * std::abs(value);
}

/// Standard deviation of the noise in equally spaced samples of a smooth function: k-th differences remove the function and
/// keep the noise, whose variance they multiply by (2k)!/(k!)² (Hamming; Moré and Wild, "Estimating computational noise", SIAM
/// J. Sci. Comput. 33, 2011). The larger of what fourth and fifth differences say.
double noise_of(std::array<double, 6> samples) {
  double noise = 0;
  for (std::size_t k = 1; k <= 5; ++k) {
    double squares = 0;
    for (std::size_t i = 0; i + k < samples.size(); ++i) {
      samples[i] = samples[i + 1] - samples[i];
      squares += samples[i] * samples[i];
    }
    const double variance = squares / static_cast<double>(samples.size() - k);
    if (k >= 4) noise = std::max(noise, std::sqrt(variance / (k == 4 ? 70 : 252)));
  }
  return std::isfinite(noise) ? noise : 0;
}

class Differentiation {
 public:
  Differentiation(const Changes& changes, double x, std::size_t count, const RiddersOptions& options)
      : changes_(changes),
        x_(x),
        options_(options),
        limits_(count, Limits(options.contraction)),
        noise_(count),
        below_(count),
        above_(count) {
    measure_noise();
  }

  std::vector<Derivative> run() {
    double h = options_.first_step * std::max(1.0, std::abs(x_));
    for (int level = 0; level < options_.levels && !enough(level); ++level, h /= options_.contraction) sample(h);
    std::vector<Derivative> result;
    for (const Limits& l : limits_)
      result.push_back({l.central.best(), l.left.best(), l.right.best(), l.jump_left.best(), l.jump_right.best()});
    classify(result);
    return result;
  }

 private:
  /// How well the functions are computed, rather than how well they could be: on each side of x alone, since x may be a kink.
  /// Without this, two noisy quotients that agree by chance would pass for a converged derivative.
  void measure_noise() {
    const double delta = 0x1p-22 * std::max(1.0, std::abs(x_));
    std::vector<std::array<double, 6>> left(noise_.size()), right(noise_.size());
    for (std::size_t i = 0; i < 6; ++i) {
      evaluate(static_cast<double>(i + 1) * delta);
      for (std::size_t k = 0; k < noise_.size(); ++k) {
        left[k][i] = below_[k].value;
        right[k][i] = above_[k].value;
      }
    }
    for (std::size_t k = 0; k < noise_.size(); ++k) noise_[k] = std::max(noise_of(left[k]), noise_of(right[k]));
  }

  void evaluate(double h) {
    changes_(x_ - h, below_);
    changes_(x_ + h, above_);
  }

  void sample(double h) {
    evaluate(h);
    // The steps as they are after rounding x ± h: this removes the rounding of the argument to first order.
    const double below_step = x_ - (x_ - h), above_step = (x_ + h) - x_;
    for (std::size_t k = 0; k < limits_.size(); ++k) {
      for (Change* change : {&below_[k], &above_[k]}) change->rounding = std::max(change->rounding, 2 * noise_[k]);
      limits_[k].add(below_[k], above_[k], below_step, above_step);
    }
  }

  double scale() const {
    double largest = 0;
    for (const Limits& l : limits_)
      if (std::isfinite(l.central.best().error)) largest = std::max(largest, std::abs(l.central.best().value));
    return largest;
  }

  /// Stops when every function is known to 13 digits, or converged (6 digits) and not improving any more: smaller steps only
  /// add rounding. What does not converge gets all the steps.
  bool enough(int level) {
    if (level < 6) return false;
    double error = 0;
    for (const Limits& l : limits_) error = std::max(error, l.central.best().error);
    const double size = scale();
    if (error <= 1e-13 * size) return true;
    if (error < 0.5 * least_error_) {
      least_error_ = error;
      improved_at_ = level;
    }
    return error <= 1e-6 * size && level - improved_at_ >= 3;
  }

  /// Kinks and jumps, confirmed at steps far below those that suggested them: a steep but smooth function resolves there.
  void classify(std::vector<Derivative>& result) {
    double size = 0;
    for (Derivative& d : result)
      for (const Estimate* e : {&d.central, &d.left, &d.right})
        if (std::isfinite(e->error)) size = std::max(size, std::abs(e->value));
    bool suspect = false;
    for (Derivative& d : result) {
      d.scale = size;
      const double gap_error = d.left.error + d.right.error;
      d.kink = clearly_nonzero(d.right.value - d.left.value, gap_error, size);
      d.jump =
          clearly_nonzero(d.jump_left.value, d.jump_left.error, 0) || clearly_nonzero(d.jump_right.value, d.jump_right.error, 0);
      suspect = suspect || d.kink || d.jump;
    }
    if (!suspect) return;
    constexpr double near = 0x1p-24, nearer = 0x1p-40;
    evaluate(near * std::max(1.0, std::abs(x_)));
    for (std::size_t k = 0; k < result.size(); ++k) {
      Derivative& d = result[k];
      if (!d.kink) continue;
      const double step = near * std::max(1.0, std::abs(x_));
      const double gap = (above_[k].value + below_[k].value) / step;  // right quotient minus left quotient
      const double noise =
          4 * (above_[k].rounding + below_[k].rounding + 2 * noise_[k]) / step + 4 * epsilon * std::abs(x_) / step * d.scale;
      d.kink = std::abs(gap - (d.right.value - d.left.value)) <= 0.1 * std::abs(d.right.value - d.left.value) + noise;
      // A kink beside x, nearer than the shortest step: the derivative is one of the two, and `central` neither.
      if (!d.kink) d.central.error = std::max(d.central.error, std::abs(d.right.value - d.left.value));
    }
    evaluate(nearer * std::max(1.0, std::abs(x_)));
    for (std::size_t k = 0; k < result.size(); ++k) {
      Derivative& d = result[k];
      if (!d.jump) continue;
      const double jump = std::abs(d.jump_left.value) > std::abs(d.jump_right.value) ? d.jump_left.value : d.jump_right.value;
      const double seen = std::abs(d.jump_left.value) > std::abs(d.jump_right.value) ? below_[k].value : above_[k].value;
      d.jump = std::abs(seen - jump) <= 0.1 * std::abs(jump);
      if (d.jump) d.kink = false;
    }
  }

  const Changes& changes_;
  double x_;
  const RiddersOptions& options_;
  std::vector<Limits> limits_;
  std::vector<double> noise_;
  std::vector<Change> below_, above_;
  double least_error_ = std::numeric_limits<double>::infinity();
  int improved_at_ = 0;
};

}  // namespace

void Extrapolation::add(double value, double rounding) {
  if (!std::isfinite(value) || !std::isfinite(rounding)) {
    row_.clear();
    return;
  }
  std::vector<Entry> row{{value, rounding}};
  row.reserve(columns);
  for (std::size_t j = 1; j <= row_.size() && j < columns; ++j) {
    const double factor = std::pow(contraction_, power_ + static_cast<int>(j - 1) * spacing_) - 1;
    const Entry &parent = row[j - 1], &older = row_[j - 1];
    const Entry entry{parent.value + (parent.value - older.value) / factor,
                      parent.rounding + (parent.rounding + older.rounding) / factor};
    if (j < row_.size()) {
      const double distance = std::max(
          {std::abs(entry.value - parent.value), std::abs(entry.value - older.value), std::abs(entry.value - row_[j].value)});
      const double error = distance + entry.rounding;
      if (error <= best_.error) best_ = {entry.value, error};
    }
    row.push_back(entry);
  }
  row_ = std::move(row);
}

std::vector<Derivative> differentiate(const Changes& changes, double x, std::size_t count, const RiddersOptions& options) {
  return Differentiation(changes, x, count, options).run();
}

Derivative differentiate(const std::function<double(double)>& f, double x, const RiddersOptions& options) {
  const double centre = f(x);
  const Changes changes = [&](double t, std::span<Change> change) {
    const double y = f(t);
    change[0].value = y - centre;
    change[0].rounding = y == centre ? 0 : epsilon * std::max(std::abs(y), std::abs(centre));
  };
  return differentiate(changes, x, 1, options).front();
}

}  // namespace argand
