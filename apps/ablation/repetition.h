#pragma once
/// `argand ablate FILE.json --repeat`: trains kept rows again with the same seeds, and reports whether the results land where they
/// did.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/ablation/comparison.h"
#include "train/ablation/result_table.h"

namespace argand {

/// The requested rows of kept results; all of them if none are named. Throws InputError for results that are only costs, and for a
/// row with fewer than two kept runs, or without the first `seeds`; `path` is that of the results.
ResultTable rows_to_repeat(const ResultTable& kept, const std::vector<std::string>& wanted, std::int64_t seeds,
                           const std::string& path);

/// How to train such rows again.
struct Recipe {
  AblationTable table;  ///< each row with all its settings
  KeyTexts shared;      ///< what was requested for all of them, with `data` as the location of the data
};
/// Throws InputError when data are missing, and when this program cannot train a row as the kept one was.
Recipe recipe_of(const ResultTable& kept, const std::string& data);

/// A row's new runs, compared with the kept ones of the same seeds.
struct RepeatedRow {
  std::string name;
  std::vector<double> kept, kept_again, here;  ///< perplexities, or accuracies in percent; of all kept runs, of pairs with one seed
  double apart = 0;                            ///< mean of here - kept_again: of losses in nats, or of accuracies in points
  std::optional<double> within{};              ///< means_within(); nothing without a pair, or with only one kept run
  bool same = false;                           ///< every new run has exactly the numbers of the kept one
  std::vector<std::string> settings{};         ///< "steps is 100, was 625": where the configurations differ
  bool lands() const;
};

class Repetition {
 public:
  /// The rows of `kept` and those of the same names in `now`. Throws Error for settings that this program does not know.
  Repetition(const ResultTable& kept, const ResultTable& now);

  const std::vector<RepeatedRow>& rows() const { return rows_; }
  bool all_land() const;
  /// One line per row, and the meaning of the columns, as Markdown.
  std::string markdown() const;

 private:
  bool lm_;
  std::size_t compared_ = 0;
  std::vector<RepeatedRow> rows_;
};

}  // namespace argand
