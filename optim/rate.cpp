#include "optim/rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"

namespace argand {
namespace {

void require_rates(double a, double b) {
  require(std::isfinite(a) && a >= 0 && std::isfinite(b) && b >= 0, "rate", "rates must be finite and not negative, got {} and {}",
          a, b);
}
void require_steps(std::int64_t steps) { require(steps >= 1, "rate", "needs at least one step, got {}", steps); }
void require_step(std::int64_t step) { require(step >= 0, "rate", "steps are counted from 0, got {}", step); }

/// Wraps f so that it checks the step first.
template <class F>
Rate of_step(const F& f) {
  return [f](std::int64_t step) {
    require_step(step);
    return f(step);
  };
}

/// from + (to - from) shape(x), where x in [0, 1] is the completed fraction of the steps.
template <class F>
Rate on_the_way(double from, double to, std::int64_t steps, const F& shape) {
  require_rates(from, to);
  require_steps(steps);
  return of_step([=](std::int64_t step) {
    return from + (to - from) * shape(std::min(1.0, static_cast<double>(step) / static_cast<double>(steps)));
  });
}

}  // namespace

Rate constant_rate(double rate) {
  require_rates(rate, rate);
  return of_step([rate](std::int64_t) { return rate; });
}

Rate linear_rate(double from, double to, std::int64_t steps) {
  return on_the_way(from, to, steps, [](double x) { return x; });
}

Rate cosine_rate(double from, double to, std::int64_t steps) {
  return on_the_way(from, to, steps, [](double x) { return (1 - std::cos(std::numbers::pi * x)) / 2; });
}

Rate exponential_rate(double from, double factor, std::int64_t every) {
  require_rates(from, factor);
  require_steps(every);
  return of_step([=](std::int64_t step) { return from * std::pow(factor, static_cast<double>(step / every)); });
}

Rate inverse_root_rate(double peak, std::int64_t warmup) {
  require_rates(peak, peak);
  require_steps(warmup);
  return of_step([=](std::int64_t step) {
    const double x = static_cast<double>(step + 1) / static_cast<double>(warmup);
    return peak * std::min(x, 1 / std::sqrt(x));
  });
}

double WarmupCosine::operator()(std::int64_t step) const {
  require_step(step);
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  const double x = step < total ? static_cast<double>(step - warmup) / static_cast<double>(total - warmup) : 1;
  return final + 0.5 * (peak - final) * (1 + std::cos(std::numbers::pi * x));
}

void WarmupCosine::validate() const {
  require(std::isfinite(peak) && peak > 0, "rate", "the learning rate must be positive, got {}", peak);
  require(std::isfinite(final) && final >= 0, "rate", "the final learning rate must not be negative, got {}", final);
  require(warmup >= 0, "rate", "the warm-up must not be negative, got {} steps", warmup);
  require_steps(total);
  require(warmup <= total, "rate", "a warm-up of {} steps is longer than the total of {} steps", warmup, total);
}

Rate restarted(Rate rate, std::int64_t every) {
  require_steps(every);
  return of_step([rate = std::move(rate), every](std::int64_t step) { return rate(step % every); });
}

Rate sequential(std::vector<RateFor> parts) {
  require(!parts.empty(), "rate", "sequential needs at least one rate");
  for (const RateFor& part : parts) require_steps(part.steps);
  return of_step([parts = std::move(parts)](std::int64_t step) {
    std::size_t i = 0;
    for (; i + 1 < parts.size() && step >= parts[i].steps; ++i) step -= parts[i].steps;
    return parts[i].rate(step);
  });
}

}  // namespace argand
