#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "apps/ablation/ablation_report.h"

namespace argand {
namespace {

double mean_of(const SeedResults& results, const std::function<double(const AblationResult&)>& f) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& [_, result] : results)
    if (const double value = f(result); value > 0) sum += value, ++count;
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// Steps whose losses are averaged: one batch says little.
constexpr std::int64_t averaged_steps = 100;

/// Step -> mean training loss of the last hundred steps that the log still has; of the steps that so many precede.
std::map<std::int64_t, double> mean_losses(const AblationResult& result) {
  std::map<std::int64_t, double> means;
  const auto& losses = result.training_losses;
  for (const auto& [step, _] : losses) {
    if (step < averaged_steps) continue;
    double sum = 0, count = 0;
    for (auto it = losses.upper_bound(step - averaged_steps); it != losses.end() && it->first <= step; ++it)
      sum += it->second, ++count;
    means.emplace(step, sum / count);
  }
  return means;
}

/// The first step with such a mean loss or a lower one; 0 for none.
std::int64_t step_of_loss(const std::map<std::int64_t, double>& means, double loss) {
  for (const auto& [step, mean] : means)
    if (mean <= loss) return step;
  return 0;
}

/// The sample deviation as " ± 12"; "" of one run.
std::string deviation_text(const SeedResults& results, const std::function<double(const AblationResult&)>& f) {
  if (results.size() < 2) return "";
  const double mean = mean_of(results, f);
  double squares = 0;
  for (const auto& [_, result] : results) squares += (f(result) - mean) * (f(result) - mean);
  return fmt::format(" ± {:.0f}", std::sqrt(squares / static_cast<double>(results.size() - 1)));
}

/// "1.86 (1.24)": in the unit, and as a multiple of the first row's.
std::string relative(const std::string& in_unit, double value, double first) {
  if (value == 0) return "-";
  return fmt::format("{} ({:.2f})", in_unit, first > 0 ? value / first : 1);
}

}  // namespace

std::string AblationReport::costs() const {
  const auto flops = [](const AblationResult& r) { return r.flops_per_token; };
  const auto speed = [](const AblationResult& r) { return r.tokens_per_second; };
  const auto memory = [](const AblationResult& r) { return static_cast<double>(r.peak_memory); };
  std::string text =
      "| row | parameters | million FLOPs a token | tokens a second | peak memory, MiB |\n|---|---:|---:|---:|---:|\n";
  std::set<std::string> machines;
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    const SeedResults& results = results_[row];
    const auto of = [&](const auto& f) { return mean_of(results, f); };
    for (const auto& [_, r] : results)
      machines.insert(r.made_by.is_object()
                          ? fmt::format("{}, {} kernels, threads: {}", r.made_by.value("processor", "a processor unknown"),
                                        r.made_by.value("blas", "unknown"), r.made_by.value("threads", 0))
                          : "a processor unknown");
    text += fmt::format(
        "| {} | {} | {} | {} | {} |\n", table_.rows[row].name,
        results.empty() ? "-" : fmt::format("{}", results.begin()->second.parameters),
        relative(fmt::format("{:.3g}", of(flops) / 1e6), of(flops), mean_of(results_[0], flops)),
        relative(fmt::format("{:.0f}", of(speed)) + deviation_text(results, speed), of(speed), mean_of(results_[0], speed)),
        relative(fmt::format("{:.0f}", of(memory) / (1 << 20)), of(memory), mean_of(results_[0], memory)));
  }
  std::string where;
  for (const std::string& machine : machines) where += (where.empty() ? "" : "; ") + machine;
  std::string notes = fmt::format(
      "In brackets: as multiples of {}. FLOPs are counted as they happen: multiplications and additions of real numbers in the "
      "products of matrices, forwards and backwards, without norms, softmax and the optimiser. Tokens a second are those of the "
      "median step, mean ± deviation of the seeds, and compare on one machine alone: {}.",
      table_.rows[0].name, where.empty() ? "none" : where);
  if (machines.size() > 1) notes += " These runs are of several, so their speeds do not compare.";
  if (!table_.costs.empty()) notes += " " + table_.costs;
  return text + "\n" + paragraph(notes);
}

std::string AblationReport::pace() const {
  double reached = 0;  // by all of them
  for (const SeedResults& results : results_)
    for (const auto& [_, result] : results) {
      const auto means = mean_losses(result);
      if (means.size() < 2 || result.flops_per_step == 0) return "";
      reached = std::max(
          reached, std::min_element(means.begin(), means.end(), [](auto& a, auto& b) { return a.second < b.second; })->second);
    }
  if (reached == 0 || !lm()) return "";
  reached = std::ceil(100 * reached - 1e-6) / 100;
  std::string text = fmt::format(
      "| row | million FLOPs a token | steps to a training loss of {0:.2f} | 10¹² FLOPs to {0:.2f} |\n|---|---:|---:|---:|\n",
      reached);
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    if (results_[row].empty()) continue;
    std::vector<double> steps, work;
    for (const auto& [_, result] : results_[row]) {
      steps.push_back(static_cast<double>(step_of_loss(mean_losses(result), reached)));
      work.push_back(steps.back() * result.flops_per_step / 1e12);
    }
    text += fmt::format("| {} | {:.3g} | {} | {} |\n", table_.rows[row].name, results_[row].begin()->second.flops_per_token / 1e6,
                        mean_and_deviation(steps, 0), mean_and_deviation(work, 1));
  }
  text += "\n";
  const std::string note = fmt::format(
      "Equal steps are not equal work. {:.2f} nats is the lowest training loss, as a mean over {} steps, that every run of the "
      "table "
      "has reached, rounded up. FLOPs are those of the products of matrices, forwards and backwards, counted as they happen.",
      reached, averaged_steps);
  return text + paragraph(note);
}

}  // namespace argand
