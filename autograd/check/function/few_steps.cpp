#include "autograd/check/function/few_steps.h"

#include <algorithm>

namespace argand {
namespace {

constexpr double first_step = 0.02, contraction = 2.5;

}  // namespace

void FewSteps::add_step() {
  const double h = first_step * std::pow(contraction, -static_cast<double>(steps_[0].size()));
  std::vector<Change> below(steps_.size()), above(steps_.size());
  changes_(-h, below);
  changes_(h, above);
  for (std::size_t k = 0; k < steps_.size(); ++k) steps_[k].push_back({h, below[k], above[k]});
}

std::vector<Derivative> FewSteps::derivatives() const {
  std::vector<Derivative> result;
  for (const std::vector<Step>& steps : steps_) {
    Derivative d;
    d.flat = true;
    std::vector<double> row;  // Richardson: column j of h_k cancels the powers h² to h^2j
    for (const auto& [h, below, above] : steps) {
      std::vector<double> next{(above.value - below.value) / (2 * h)};
      for (std::size_t j = 0; j < row.size(); ++j)
        next.push_back(next[j] + (next[j] - row[j]) / (std::pow(contraction, 2.0 * static_cast<double>(j + 1)) - 1));
      const double rounding_of_row = 2 * (above.rounding + below.rounding) / (2 * h);
      // The difference between the last two columns estimates the error of the less accurate one.
      d.central = {next.back(), rounding_of_row + (row.empty() ? HUGE_VAL : std::abs(next.back() - next[next.size() - 2]))};
      row = std::move(next);
      const double largest = std::max(std::abs(below.value), std::abs(above.value));
      const double rounding = std::max(below.rounding, above.rounding);
      d.flat = d.flat && largest <= 4 * rounding;
      d.magnitude = std::max(d.magnitude, rounding / double_epsilon);
      if (largest > 100 * rounding) d.variation = std::max(d.variation, largest / h);
    }
    // Where f is smooth, f(h) + f(−h) − 2 f(0) shrinks at least like h²; at a kink it shrinks like h, and at a jump not at all.
    const auto bend = [](const Step& s) { return std::abs(s.above.value + s.below.value); };
    for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
      const double rounding = 8 * (steps[k + 1].above.rounding + steps[k + 1].below.rounding);
      if (!(bend(steps[k + 1]) <= bend(steps[k]) * std::pow(contraction, -1.5) + rounding))
        d.central.error = std::numeric_limits<double>::infinity();
    }
    if (!std::isfinite(d.central.value)) d.central.error = std::numeric_limits<double>::infinity();
    result.push_back(d);
  }
  return result;
}

}  // namespace argand
