#pragma once
/// `argand ablate FILE.json --repeat`: trains kept rows again with the same seeds, and reports whether the results agree.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/ablation/comparison.h"
#include "train/ablation/result_table.h"

namespace argand {

/// The requested rows of kept results; all of them if none are named. Throws InputError for results that contain only costs, and
/// for a row that has fewer than two kept runs or lacks a run with one of the first `seeds` seeds. `path`: the file, for messages.
ResultTable rows_to_repeat(const ResultTable& kept, const std::vector<std::string>& wanted, std::int64_t seeds,
                           const std::string& path);

/// The settings for training these rows again.
struct Recipe {
  AblationTable table;  ///< each row with all its settings
  KeyTexts shared;      ///< the settings requested for all of them, with `data` as the location of the data
};
/// Throws InputError when data are missing, or when this program cannot train a row with its kept settings.
Recipe recipe_of(const ResultTable& kept, const std::string& data);

/// A row's new runs, compared with the kept runs of the same seeds.
struct RepeatedRow {
  std::string name;
  std::vector<double> kept, kept_again,
      here;          ///< perplexities, or accuracies in percent: of all kept runs, then of the pairs with the same seed
  double apart = 0;  ///< mean of here - kept_again, in nats for losses or in points for accuracies
  std::optional<double> within{};       ///< means_within(); empty without a pair or with only one kept run
  bool same = false;                    ///< whether every new run has exactly the results of the kept one
  std::vector<std::string> settings{};  ///< differences between the configurations, such as "steps is 100, was 625"
  bool lands() const;
};

class Repetition {
 public:
  /// Pairs each row of `kept` with the row of `now` that has its name. Throws Error for settings that this program does not have.
  Repetition(const ResultTable& kept, const ResultTable& now);

  const std::vector<RepeatedRow>& rows() const { return rows_; }
  bool all_land() const;
  /// A Markdown table with one line per row, and the meaning of its columns.
  std::string markdown() const;

 private:
  bool lm_;
  std::size_t compared_ = 0;
  std::vector<RepeatedRow> rows_;
};

}  // namespace argand
