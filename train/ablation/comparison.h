#pragma once
/// Tests whether rows differ by more than chance. Runs of two rows with the same seed form a pair.

#include <cstddef>
#include <optional>
#include <vector>

namespace argand {

/// The mean of a sample v_1 ... v_n, 0 if it is empty, and its deviation s = √(Σ (v_i - mean)² / (n - 1)), 0 for fewer than two.
struct Spread {
  std::size_t count = 0;
  double mean = 0, deviation = 0;
};
Spread spread_of(const std::vector<double>& values);

/// The differences d_1 ... d_n of one row's pairs.
struct PairedDifference {
  std::size_t pairs = 0;
  double mean = 0;
  /// Confidence interval of the true mean difference, and the p-value of the hypothesis that it is 0. Empty for fewer than two
  /// pairs.
  std::optional<double> low{}, high{}, p{};
};

/// One row of differences each, compared side by side. With m rows that have n >= 2 pairs, the interval of such a row is
///
///     mean ± t s / √n,   s² = Σ (d_i - mean)² / (n - 1),
///
/// t the quantile 1 - (1 - confidence) / 2m of Student's distribution with n - 1 degrees of freedom: by Bonferroni's inequality all
/// m hold at once with probability `confidence` at least. p is two-sided and Holm's (Scand. J. Statist. 6, 1979): the k-th smallest
/// of the m is multiplied by m - k + 1, and none is smaller than one before it.
std::vector<PairedDifference> compare_pairs(const std::vector<std::vector<double>>& rows, double confidence = 0.95);

/// How far apart the means of k values and of k others may be if all are drawn from one normal distribution, of which `seen` are n
/// values:
///
///     t s √(2/k),
///
/// s the deviation of those seen, t the quantile 1 - (1 - confidence) / 2m of Student's distribution with n - 1 degrees of freedom,
/// so that it holds for m rows at once. Positively correlated pairs are closer than that. Empty when fewer than two were seen, or k
/// = 0.
std::optional<double> means_within(const Spread& seen, std::size_t k, std::size_t m = 1, double confidence = 0.95);

}  // namespace argand
