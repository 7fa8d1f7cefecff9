#pragma once
/// `argand ablate --repeat`: trains kept rows again with the same seeds, and reports whether the results land where they did.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/ablation/ablation_result.h"
#include "train/ablation/comparison.h"
#include "train/config/settings.h"

namespace argand {

/// The requested rows of a kept ablation; all of its rows if none are named. Throws InputError when the folder holds no ablation of
/// the family, or only its costs, and for a row with fewer than two kept runs, or without the first `seeds`.
AblationTable kept_rows(const AblationTable& whole, const std::string& kept, const std::vector<std::string>& wanted,
                        std::int64_t seeds);

/// The settings those rows share, as returned by shared_settings(), with `data` as the location of the data. Throws InputError when
/// data are missing, and when this program would train a row differently from the kept configurations.
KeyTexts recipe_of(const AblationTable& rows, const std::string& kept, const std::string& data);

/// A row's new runs, compared with the kept ones of the same seeds.
struct RepeatedRow {
  std::string name;
  std::vector<double> kept, kept_again, here;  ///< perplexities, or accuracies in percent; of all kept runs, of pairs with one seed
  double apart = 0;                            ///< mean of here - kept_again: of losses in nats, or of accuracies in points
  std::optional<double> within{};              ///< means_within(); nothing without a pair, or with only one kept run
  bool same = false;                           ///< every new run has exactly the numbers of the kept one
  std::vector<std::string> settings{};         ///< "training.steps is 100, was 625": where the configurations differ
  bool lands() const;
};

class Repetition {
 public:
  /// Reads the table's rows from the folders KEPT and OUT. Throws Error for damaged configurations.
  Repetition(const AblationTable& table, const std::string& kept, const std::string& out);

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
