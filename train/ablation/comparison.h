#pragma once
/// Tests whether rows differ by more than chance. Two runs with the same seed, one from each row, form a pair.

#include <cstddef>
#include <optional>
#include <vector>

namespace argand {

/// The mean of a sample v_1 ... v_n (0 if empty) and its standard deviation s = √(Σ (v_i - mean)² / (n - 1)) (0 if n < 2).
struct Spread {
  std::size_t count = 0;
  double mean = 0, deviation = 0;
};
Spread spread_of(const std::vector<double>& values);

/// The differences d_1 ... d_n within the pairs of one row.
struct PairedDifference {
  std::size_t pairs = 0;
  double mean = 0;
  /// Confidence interval of the true mean difference, and the p-value for the hypothesis that it is 0. Empty for fewer than two
  /// pairs.
  std::optional<double> low{}, high{}, p{};
};

/// Compares several rows of differences simultaneously. If m rows have n >= 2 pairs, the interval of each of these is
///
///     mean ± t s / √n,   s² = Σ (d_i - mean)² / (n - 1),
///
/// where t is the quantile 1 - (1 - confidence) / 2m of Student's distribution with n - 1 degrees of freedom. By Bonferroni's
/// inequality, all m intervals hold at once with at least probability `confidence`. p is two-sided, with Holm's correction (Scand.
/// J. Statist. 6, 1979): the k-th smallest of the m values is multiplied by m - k + 1, and none is smaller than the one before.
std::vector<PairedDifference> compare_pairs(const std::vector<std::vector<double>>& rows, double confidence = 0.95);

/// How far apart the means of two sets of k values may be if all are drawn from the same normal distribution; `seen`
/// summarises n values drawn from it:
///
///     t s √(2/k),
///
/// where s is the standard deviation in `seen` and t the quantile 1 - (1 - confidence) / 2m of Student's distribution with n - 1
/// degrees of freedom, so that the bound holds for m rows at once. Positively correlated pairs are closer together. Empty if n < 2
/// or k = 0.
std::optional<double> means_within(const Spread& seen, std::size_t k, std::size_t m = 1, double confidence = 0.95);

}  // namespace argand
