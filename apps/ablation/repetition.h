#pragma once
/// `argand ablate --repeat`: rows that are kept are trained again with their seeds, and land where they did, or do not.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/ablation/ablation_result.h"
#include "train/ablation/comparison.h"
#include "train/config/settings.h"

namespace argand {

/// The rows of a kept ablation that were asked for; without any, all that it has. Throws InputError when the folder holds no
/// ablation of the family, or its costs alone, and for a row of which fewer than two runs are kept, or not the first `seeds`.
AblationTable kept_rows(const AblationTable& whole, const std::string& kept, const std::vector<std::string>& wanted,
                        std::int64_t seeds);

/// What those rows have in common, as shared_settings() says it, with `data` where the data are here. Throws InputError when data
/// are missing, and when this program would train a row in another way than the kept configurations say.
KeyTexts recipe_of(const AblationTable& rows, const std::string& kept, const std::string& data);

/// A row's new runs beside the kept ones of the same seeds.
struct RepeatedRow {
  std::string name;
  std::vector<double> kept, kept_again, here;  ///< perplexities, or accuracies in percent; of all kept runs, of pairs with one seed
  double apart = 0;                            ///< mean of here - kept_again: of losses in nats, or of accuracies in points
  std::optional<double> within{};              ///< means_within(); nothing when there is no pair, or one kept run
  bool same = false;                           ///< every new run has the very numbers of the kept one
  std::vector<std::string> settings{};         ///< "training.steps is 100, was 625": where the configurations differ
  bool lands() const;
};

class Repetition {
 public:
  /// The table's rows, as they are in the folders KEPT and OUT. Throws Error for configurations that are damaged.
  Repetition(const AblationTable& table, const std::string& kept, const std::string& out);

  const std::vector<RepeatedRow>& rows() const { return rows_; }
  bool all_land() const;
  /// A line each row, and what the columns mean, as Markdown.
  std::string markdown() const;

 private:
  bool lm_;
  std::size_t compared_ = 0;
  std::vector<RepeatedRow> rows_;
};

}  // namespace argand
