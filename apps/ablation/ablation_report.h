#pragma once
/// The tables of an ablation, computed only from the results of its runs.

#include <functional>

#include "train/ablation/comparison.h"
#include "train/ablation/result_table.h"

namespace argand {

/// What a confidence interval says about a difference, or about a claim.
enum class RowVerdict { Lower, Higher, Holds, DoesNot, Unknown };
/// "lower", "higher", "holds", "does not hold", "not significant"
std::string to_text(RowVerdict verdict);

/// One row compared with another, over the runs with the same seeds.
struct RowComparison {
  std::vector<std::int64_t> seeds;
  PairedDifference difference;  ///< the difference of the losses in nats, or of the accuracies in points
  RowVerdict verdict = RowVerdict::Unknown;
};

class AblationReport {
 public:
  /// `results` and `rates` have one entry per row; `rates` is empty if there was no search.
  AblationReport(AblationTable table, std::vector<SeedResults> results, std::vector<RateResults> rates = {});
  explicit AblationReport(const ResultTable& runs) : AblationReport(runs.table, runs.results, runs.rates) {}

  // The tables in Markdown, "" if there is nothing to show.
  std::string rows() const;    ///< each row compared with the first, and the meaning of the columns
  std::string rates() const;   ///< the result of each learning rate
  std::string pace() const;    ///< steps and FLOPs that each row needs to reach a loss common to all rows; "" if a run is too short
  std::string claims() const;  ///< the paper's claims with verdicts, and the note
  std::string costs() const;   ///< FLOPs, time and memory per token
  /// Rows, rates, pace and claims.
  std::string markdown() const;
  /// Rows and claims as values with six digits, one line per row, for plotting.
  std::string json() const;

 private:
  bool lm() const { return table_.task == "lm"; }
  /// The values of `row` minus those of `other`, for each seed that both have.
  std::vector<double> differences(std::size_t row, std::size_t other) const;
  std::optional<std::size_t> find(const std::string& row) const;
  double shown(double difference) const;
  std::string explanation() const;
  void compare_rows();
  void compare_claims();

  AblationTable table_;
  std::vector<SeedResults> results_;
  std::vector<RateResults> rates_;
  std::vector<RowComparison> rows_;            ///< each row compared with the first
  std::vector<RowComparison> claims_;          ///< the claims that this table can test, as better minus worse
  std::vector<const AblationClaim*> claimed_;  ///< the claim that each entry of claims_ tests
};

/// "+1.3", "-0.2", "0.0"; with up to `most_decimals` decimals if needed to show the sign: "+0.04".
std::string signed_text(double value, int most_decimals = 1);
/// A difference d in the unit shown in tables: exp(d) - 1 in per cent for losses; d itself, in points, otherwise.
double to_table_unit(double difference, bool of_losses);

/// The text as newline-terminated lines of a Markdown file.
std::string paragraph(const std::string& text);

/// Joins the tables of a Markdown file, skipping empty ones.
std::string join_tables(const std::vector<std::string>& tables);

/// "+1.3 % [-0.2, 2.8]" for losses in nats (the difference between perplexities in per cent, exp(d) - 1), "+1.3 [-0.2, 2.8]" for
/// points; "+1.3 % (1)" without an interval; "-" if there are no pairs.
std::string difference_text(const PairedDifference& c, bool of_losses);

/// "401.3 ± 12.0 (3)", "401.3 (1)", or "-" for none: mean ± sample standard deviation (count), with this many decimals.
std::string mean_and_deviation(const std::vector<double>& values, int decimals = 1);

}  // namespace argand
