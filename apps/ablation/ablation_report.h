#pragma once
/// The tables of an ablation, made of what its logs say and of nothing else.

#include <functional>

#include "train/ablation/ablation_result.h"
#include "train/ablation/comparison.h"

namespace argand {

/// What an interval says of a difference, or of a claim.
enum class RowVerdict { Lower, Higher, Holds, DoesNot, Unknown };
/// "lower", "higher", "holds", "does not hold", "not significant"
std::string to_text(RowVerdict verdict);

/// A row against another one: the runs that have a seed in common.
struct RowComparison {
  std::vector<std::int64_t> seeds;
  PairedDifference difference;  ///< of the losses in nats, or of the accuracies in points
  RowVerdict verdict = RowVerdict::Unknown;
};

class AblationReport {
 public:
  /// `results`: of each row, as read_results has them.
  AblationReport(AblationTable table, std::vector<SeedResults> results);

  /// The table, what its columns mean, and the paper's claims with verdicts, where it makes any, as Markdown.
  std::string markdown() const;
  /// The same as numbers of six digits, a line each run, for figures.
  std::string json() const;
  /// What a token takes of arithmetic, time and memory, as Markdown.
  std::string costs() const;
  /// How many steps, and how much arithmetic, each row takes to a loss that all reach, as Markdown; "" where a run is too short.
  std::string pace() const;

 private:
  bool lm() const { return table_.task == "lm"; }
  /// Row minus other, with each seed that both have.
  std::vector<double> differences(std::size_t row, std::size_t other) const;
  std::optional<std::size_t> find(const std::string& row) const;
  double shown(double difference) const;
  std::string explanation() const;
  std::string claims() const;
  void compare_rows();
  void compare_claims();

  AblationTable table_;
  std::vector<SeedResults> results_;
  std::vector<RowComparison> rows_;            ///< each against the first
  std::vector<RowComparison> claims_;          ///< those that this table can tell, better minus worse
  std::vector<const AblationClaim*> claimed_;  ///< whose they are
};

/// "+1.3", "-0.2", "0.0"
std::string signed_text(double value);
/// A difference in the unit that tables show: of losses exp(d) - 1 in per cent, else as it is, in points.
double in_units(double difference, bool of_losses);

/// As lines of a Markdown file, each ended.
std::string paragraph(const std::string& text);

/// Where the tables of the folder OUT, table.md and table.json, are not those of its logs: a line each difference.
std::vector<std::string> differences_of_tables(const AblationReport& report, const std::string& out);
/// Of the file at `path`, which ought to be `wanted`; one that is missing has no lines.
std::vector<std::string> differences_of_lines(const std::string& wanted, const std::string& path);
/// Writes them.
void write_tables(const AblationReport& report, const std::string& out);

/// "+1.3 % [-0.2, 2.8]", or "+1.3 % (1)" without an interval: a difference of losses in nats as that of the perplexities in per
/// cent, exp(d) - 1; "+1.3 [-0.2, 2.8]" where it is of points; "-" of no pairs.
std::string difference_text(const PairedDifference& c, bool of_losses);

/// "401.3 ± 12.0 (3)", "401.3 (1)", or "-" for none: mean ± sample standard deviation (how many), with this many decimals.
std::string mean_and_deviation(const std::vector<double>& values, int decimals = 1);

}  // namespace argand
