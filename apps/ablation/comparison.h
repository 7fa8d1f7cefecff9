#pragma once
/// Whether rows differ by more than chance: runs of two rows with one seed make a pair.

#include <cstddef>
#include <optional>
#include <vector>

namespace argand {

/// Of values v_1 ... v_n: their mean, and s = √(Σ (v_i - mean)² / (n - 1)), 0 of fewer than two; the mean of none is 0.
struct Spread {
  std::size_t count = 0;
  double mean = 0, deviation = 0;
};
Spread spread_of(const std::vector<double>& values);

/// The differences d_1 ... d_n of one row's pairs.
struct PairedDifference {
  std::size_t pairs = 0;
  double mean = 0;
  /// Where the true mean difference lies, and what is as far from 0 as this by chance. Nothing of fewer than two pairs.
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

/// How far the mean of m new values may be from that of the n seen before, if all are drawn alike from a normal distribution:
///
///     t s √(1/n + 1/m),
///
/// with s, n of those before, and t the quantile 1 - (1 - confidence) / 2 rows of Student's distribution with n - 1 degrees of
/// freedom, so that it holds for so many rows at once. Nothing of fewer than two, nor of no new ones.
std::optional<double> new_mean_within(const Spread& before, std::size_t m, std::size_t rows, double confidence = 0.95);

}  // namespace argand
