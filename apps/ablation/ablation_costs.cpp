#include <algorithm>
#include <set>

#include "apps/ablation/ablation_report.h"
#include "apps/terminal/text_layout.h"

namespace argand {
namespace {

double mean_of(const SeedResults& results, const std::function<double(const AblationResult&)>& f) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& [_, result] : results)
    if (const double value = f(result); value > 0) sum += value, ++count;
  return count > 0 ? sum / static_cast<double>(count) : 0;
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
    text += fmt::format("| {} | {} | {} | {} | {} |\n", table_.rows[row].name,
                        results.empty() ? "-" : fmt::format("{}", results.begin()->second.parameters),
                        relative(fmt::format("{:.3g}", of(flops) / 1e6), of(flops), mean_of(results_[0], flops)),
                        relative(fmt::format("{:.0f}", of(speed)), of(speed), mean_of(results_[0], speed)),
                        relative(fmt::format("{:.0f}", of(memory) / (1 << 20)), of(memory), mean_of(results_[0], memory)));
  }
  std::string where;
  for (const std::string& machine : machines) where += (where.empty() ? "" : "; ") + machine;
  std::string notes = fmt::format(
      "In brackets: as multiples of {}. FLOPs are counted as they happen: multiplications and additions of real numbers in the "
      "products of matrices, forwards and backwards, without norms, softmax and the optimiser. Tokens a second are those of the "
      "median "
      "step and compare on one machine alone: {}.",
      table_.rows[0].name, where.empty() ? "none" : where);
  if (machines.size() > 1) notes += " These runs are of several, so their speeds do not compare.";
  if (!table_.costs.empty()) notes += " " + table_.costs;
  text += "\n";
  for (const std::string& line : wrapped(notes, 138)) text += line + "\n";
  return text;
}

}  // namespace argand
