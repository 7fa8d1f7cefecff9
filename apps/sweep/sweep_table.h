#pragma once
/// The results of a sweep, as a table.

#include <nlohmann/json.hpp>
#include <string>

#include "train/sweep/sweep_file.h"

namespace argand {

/// A configuration's row: the results of its runs, by seed.
struct SweepRow {
  std::string name;
  std::vector<std::optional<SweepOutcome>> outcomes;  ///< in the order of the seeds; empty for runs that were not trained
  bool best = false;
};

class SweepTable {
 public:
  /// The plan must have no runs left to train.
  SweepTable(const SweepPlan& plan, const SweepFile& file, TextTask task);

  /// The best row first, diverged ones last.
  std::string markdown() const;
  nlohmann::ordered_json json() const;

 private:
  std::string markdown(const std::vector<SweepRow>& rows, const std::string& heading) const;
  std::string conclusion() const;

  TextTask task_;
  std::vector<std::int64_t> seeds_;
  std::size_t search_seeds_;
  std::vector<SweepRow> third_, full_;
  std::optional<std::string> best_;
  std::vector<GridEdge> edges_;
  bool widen_;
};

}  // namespace argand
