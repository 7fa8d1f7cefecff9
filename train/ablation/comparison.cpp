#include "train/ablation/comparison.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace argand {
namespace {

using Student = boost::math::students_t;

/// The quantile 1 - (1 - confidence) / 2m of Student's t-distribution with n - 1 degrees of freedom.
double two_sided_quantile(std::size_t n, std::size_t m, double confidence) {
  const double tail = (1 - confidence) / 2 / static_cast<double>(std::max<std::size_t>(1, m));
  return quantile(complement(Student(static_cast<double>(n - 1)), tail));
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  Spread spread{.count = values.size()};
  const auto n = static_cast<double>(values.size());
  if (!values.empty()) spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - spread.mean) * (v - spread.mean);
  if (values.size() > 1) spread.deviation = std::sqrt(squares / (n - 1));
  return spread;
}

std::vector<PairedDifference> compare_pairs(const std::vector<std::vector<double>>& rows, double confidence) {
  const auto m = std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.size() >= 2; });
  std::vector<PairedDifference> found;
  std::vector<PairedDifference*> tested;
  found.reserve(rows.size());
  for (const std::vector<double>& row : rows) {
    PairedDifference& c = found.emplace_back();
    c.pairs = row.size();
    if (row.empty()) continue;
    const Spread spread = spread_of(row);
    c.mean = spread.mean;
    if (row.size() < 2) continue;
    const Student t(static_cast<double>(row.size() - 1));
    const double deviation = spread.deviation / std::sqrt(static_cast<double>(row.size()));  // standard error of the mean
    const double reach = two_sided_quantile(row.size(), static_cast<std::size_t>(m), confidence) * deviation;
    c.low = c.mean - reach, c.high = c.mean + reach;
    if (deviation > 0)
      c.p = 2 * cdf(complement(t, std::abs(c.mean) / deviation));
    else  // all differences are equal
      c.p = c.mean == 0 ? 1 : 0;
    tested.push_back(&c);
  }
  std::sort(tested.begin(), tested.end(), [](const PairedDifference* a, const PairedDifference* b) { return *a->p < *b->p; });
  double before = 0;
  for (std::size_t k = 0; k < tested.size(); ++k) {
    double& p = *tested[k]->p;
    before = p = std::min(1.0, std::max(before, p * static_cast<double>(tested.size() - k)));
  }
  return found;
}

std::optional<double> means_within(const Spread& seen, std::size_t k, std::size_t m, double confidence) {
  if (seen.count < 2 || k == 0) return std::nullopt;
  return two_sided_quantile(seen.count, m, confidence) * seen.deviation * std::sqrt(2 / static_cast<double>(k));
}

}  // namespace argand
