#pragma once
/// `argand ablate --repeat`: rows that are kept are trained again, by the recipe that their folder remembers, and land where they
/// did before, or do not.

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "apps/ablation/ablation_result.h"
#include "apps/ablation/comparison.h"
#include "apps/terminal/settings.h"

namespace argand {

/// What all rows of a kept ablation have in common, as shared_settings() says it; `data` is where the data are here. Throws
/// UsageError when the folder holds no ablation of the family, or needs data and there are none.
KeyTexts recipe_of(const std::string& kept, const std::string& family, const std::string& data);

/// A row's new runs beside its kept ones.
struct RepeatedRow {
  std::string name;
  std::vector<double> before, now;      ///< perplexities, or accuracies in percent
  double apart = 0;                     ///< mean of now minus mean of before: of losses in nats, or of accuracies in points
  std::optional<double> reach{};        ///< new_mean_within(); nothing when too few runs are kept, or none is here
  std::optional<double> same_seed{};    ///< how far two runs of one seed are apart at most, in the same unit
  std::vector<std::string> settings{};  ///< "training.lr is 0.002, was 0.001": what both configurations have, and is not the same
  bool lands() const { return reach && settings.empty() && std::abs(apart) <= *reach; }
};

class Repetition {
 public:
  /// The table's rows, as they are in the folders KEPT and OUT.
  Repetition(const AblationTable& table, const std::string& kept, const std::string& out);

  const std::vector<RepeatedRow>& rows() const { return rows_; }
  bool all_land() const;
  /// A line each row, and what the columns mean.
  std::string markdown() const;

 private:
  bool lm_;
  std::vector<RepeatedRow> rows_;
};

}  // namespace argand
