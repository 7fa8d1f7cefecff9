#pragma once
/// The tables of an ablation, computed only from its logs.

#include <functional>

#include "train/ablation/ablation_result.h"
#include "train/ablation/comparison.h"

namespace argand {

/// What an interval says about a difference, or about a claim.
enum class RowVerdict { Lower, Higher, Holds, DoesNot, Unknown };
/// "lower", "higher", "holds", "does not hold", "not significant"
std::string to_text(RowVerdict verdict);

/// One row compared with another, over the runs with a common seed.
struct RowComparison {
  std::vector<std::int64_t> seeds;
  PairedDifference difference;  ///< of the losses in nats, or of the accuracies in points
  RowVerdict verdict = RowVerdict::Unknown;
};

class AblationReport {
 public:
  /// `results`: for each row, as returned by read_results.
  AblationReport(AblationTable table, std::vector<SeedResults> results);

  /// The table, the meaning of its columns, and the paper's claims, if any, with verdicts, as Markdown.
  std::string markdown() const;
  /// The same as numbers of six digits, one line per run, for figures.
  std::string json() const;
  /// What a token costs in arithmetic, time and memory, as Markdown.
  std::string costs() const;
  /// The steps and the arithmetic each row takes to a loss that all reach, as Markdown; "" if a run is too short.
  std::string pace() const;

 private:
  bool lm() const { return table_.task == "lm"; }
  /// Row minus other, for each seed that both have.
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
  std::vector<RowComparison> claims_;          ///< those that this table can test, better minus worse
  std::vector<const AblationClaim*> claimed_;  ///< the claims they belong to
};

/// "+1.3", "-0.2", "0.0"
std::string signed_text(double value);
/// A difference in the unit shown in tables: of losses, exp(d) - 1 in per cent; otherwise unchanged, in points.
double in_units(double difference, bool of_losses);

/// The text as terminated lines of a Markdown file.
std::string paragraph(const std::string& text);

/// Where table.md and table.json in the folder OUT disagree with its logs: one line per difference.
std::vector<std::string> differences_of_tables(const AblationReport& report, const std::string& out);
/// Compares the file at `path` with `wanted`; a missing file has no lines.
std::vector<std::string> differences_of_lines(const std::string& wanted, const std::string& path);
/// Writes table.md and table.json to OUT.
void write_tables(const AblationReport& report, const std::string& out);

/// "+1.3 % [-0.2, 2.8]", or "+1.3 % (1)" without an interval: a difference of losses in nats, shown as that of the perplexities in
/// per cent, exp(d) - 1; "+1.3 [-0.2, 2.8]" for points; "-" if there are no pairs.
std::string difference_text(const PairedDifference& c, bool of_losses);

/// "401.3 ± 12.0 (3)", "401.3 (1)", or "-" for none: mean ± sample standard deviation (count), with this many decimals.
std::string mean_and_deviation(const std::vector<double>& values, int decimals = 1);

}  // namespace argand
