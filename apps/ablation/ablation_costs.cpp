#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "apps/ablation/ablation_report.h"

namespace argand {
namespace {

/// The mean and standard deviation over the runs that record the value.
Spread spread_of_recorded(const SeedResults& results, const std::function<double(const AblationResult&)>& f) {
  std::vector<double> values;
  for (const auto& [_, result] : results)
    if (const double value = f(result); value > 0) values.push_back(value);
  return spread_of(values);
}

/// The number of steps whose losses are averaged: a single batch is too noisy.
constexpr std::int64_t averaged_steps = 100;

/// The steps that all logs contain, in ascending order. Kept logs are thinned, not all in the same way.
std::vector<std::int64_t> steps_of_all(const std::vector<SeedResults>& results) {
  std::map<std::int64_t, std::size_t> logs_with;
  std::size_t logs = 0;
  for (const SeedResults& of_row : results)
    for (const auto& [_, result] : of_row) {
      ++logs;
      for (const auto& [step, loss] : result.training_losses) ++logs_with[step];
    }
  std::vector<std::int64_t> steps;
  for (const auto& [step, count] : logs_with)
    if (count == logs) steps.push_back(step);
  return steps;
}

/// The mean training loss over the last hundred steps, by step: only steps in `steps` count, and those before 100 have no mean.
std::map<std::int64_t, double> mean_losses(const AblationResult& result, const std::vector<std::int64_t>& steps) {
  std::map<std::int64_t, double> means;
  for (const std::int64_t last : steps) {
    if (last < averaged_steps) continue;
    const auto begin = std::upper_bound(steps.begin(), steps.end(), last - averaged_steps);
    const auto end = std::upper_bound(begin, steps.end(), last);
    double sum = 0;
    for (auto step = begin; step != end; ++step) sum += result.training_losses.at(*step);
    means.emplace(last, sum / static_cast<double>(end - begin));
  }
  return means;
}

/// The first step whose mean loss is at most `loss`, up to rounding.
std::optional<std::int64_t> step_of_loss(const std::map<std::int64_t, double>& means, double loss) {
  for (const auto& [step, mean] : means)
    if (mean <= loss + 1e-6) return step;
  return std::nullopt;
}

std::string machine_of(const nlohmann::ordered_json& made_by) {
  if (!made_by.is_object()) return "unknown processor";
  return fmt::format("{}, {} kernels, threads: {}", made_by.value("processor", "unknown processor"),
                     made_by.value("blas", "unknown"), made_by.value("threads", 0));
}

/// "1.86 (1.24)": the value in its unit, and as a multiple of the first row's value if that is known.
std::string relative(const std::string& in_unit, const Spread& value, const Spread& first) {
  if (value.mean == 0) return "-";
  return first.mean > 0 ? fmt::format("{} ({:.2f})", in_unit, value.mean / first.mean) : in_unit;
}

}  // namespace

std::string AblationReport::costs() const {
  const auto flops = [](const AblationResult& r) { return r.flops_per_token; };
  const auto speed = [](const AblationResult& r) { return r.tokens_per_second; };
  const auto memory = [](const AblationResult& r) { return static_cast<double>(r.peak_memory); };
  const auto latency = [](const AblationResult& r) { return r.milliseconds_per_token; };
  const bool writes =
      std::any_of(results_.begin(), results_.end(), [&](const SeedResults& r) { return spread_of_recorded(r, latency).count > 0; });
  std::string text = fmt::format(
      "| row | parameters | million FLOPs per token | tokens per second | peak memory, MiB |{}\n|---|---:|---:|---:|---:|{}\n",
      writes ? " generation, ms per token |" : "", writes ? "---:|" : "");
  std::set<std::string> machines;
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    const SeedResults& results = results_[row];
    const auto cell = [&](const auto& f, const auto& in_unit) {
      const Spread of_row = spread_of_recorded(results, f);
      return relative(in_unit(of_row), of_row, spread_of_recorded(results_[0], f));
    };
    for (const auto& [_, r] : results) {
      machines.insert(machine_of(r.made_by));
      if (r.milliseconds_per_token > 0) machines.insert(machine_of(r.timed_by));
    }
    const auto with_deviation = [](const Spread& s, int decimals) {
      return fmt::format("{:.{}f}", s.mean, decimals) + (s.count > 1 ? fmt::format(" ± {:.{}f}", s.deviation, decimals) : "");
    };
    text += fmt::format("| {} | {} | {} | {} | {} |{}\n", table_.rows[row].name,
                        results.empty() ? "-" : fmt::format("{}", results.begin()->second.parameters),
                        cell(flops, [](const Spread& s) { return fmt::format("{:.3g}", s.mean / 1e6); }),
                        cell(speed, [&](const Spread& s) { return with_deviation(s, 0); }),
                        cell(memory, [](const Spread& s) { return fmt::format("{:.0f}", s.mean / (1 << 20)); }),
                        writes ? " " + cell(latency, [&](const Spread& s) { return with_deviation(s, 2); }) + " |" : "");
  }
  std::string where;
  for (const std::string& machine : machines) where += (where.empty() ? "" : "; ") + machine;
  std::string notes = fmt::format(
      "In brackets: relative to {}. FLOPs are counted while running: real multiplications and additions in matrix products, "
      "forward and backward, without norms, softmax and the optimiser. Tokens per second are those of the median step, mean ± "
      "deviation over the seeds, and can be compared on one machine only: {}.",
      table_.rows[0].name, where.empty() ? "none" : where);
  if (writes)
    notes +=
        " Generation: time per token after the first, one text at a time, as `argand eval --latency` measures it, without the "
        "prompt and the encoding of passages.";
  if (machines.size() > 1) notes += " These runs come from several machines, so their speeds cannot be compared.";
  if (!table_.costs.empty()) notes += " " + table_.costs;
  return text + "\n" + paragraph(notes);
}

std::string AblationReport::pace() const {
  if (!lm()) return "";
  const std::vector<std::int64_t> steps = steps_of_all(results_);
  double reached = 0;                                                               // a loss that every run reaches
  std::vector<std::vector<std::map<std::int64_t, double>>> means(results_.size());  // [row][seed]
  for (std::size_t row = 0; row < results_.size(); ++row)
    for (const auto& [_, result] : results_[row]) {
      const auto& of_run = means[row].emplace_back(mean_losses(result, steps));
      if (of_run.size() < 2 || result.flops_per_step == 0) return "";
      const auto lowest = std::min_element(of_run.begin(), of_run.end(), [](auto& a, auto& b) { return a.second < b.second; });
      reached = std::max(reached, lowest->second);
    }
  if (reached == 0) return "";
  reached = std::ceil(100 * reached - 1e-6) / 100;
  std::string text = fmt::format(
      "| row | million FLOPs per token | steps to a training loss of {0:.2f} | 10¹² FLOPs to {0:.2f} |\n|---|---:|---:|---:|\n",
      reached);
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    if (results_[row].empty()) continue;
    std::vector<double> taken, work;
    auto of_run = means[row].begin();
    for (const auto& [_, result] : results_[row])
      if (const auto step = step_of_loss(*of_run++, reached)) {
        taken.push_back(static_cast<double>(*step));
        work.push_back(taken.back() * result.flops_per_step / 1e12);
      }
    text += fmt::format("| {} | {:.3g} | {} | {} |\n", table_.rows[row].name, results_[row].begin()->second.flops_per_token / 1e6,
                        mean_and_deviation(taken, 0), mean_and_deviation(work, 1));
  }
  text += "\n";
  const std::string note = fmt::format(
      "Equal steps are not equal work. {:.2f} nats is the lowest training loss reached by every run, rounded up; each loss is the "
      "mean over the last {} steps, using the {} of them that all logs contain. FLOPs are those of matrix products, forward and "
      "backward, counted while running.",
      reached, averaged_steps,
      std::count_if(steps.begin(), steps.end(), [&](std::int64_t step) { return step > steps.back() - averaged_steps; }));
  return text + paragraph(note);
}

}  // namespace argand
