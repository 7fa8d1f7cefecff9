#pragma once
/// The rows of an ablation with the results of their runs, from which all tables are made. They are read from the folder with the
/// runs or from a results file (result_file.h).

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "train/ablation/ablation_result.h"
#include "train/config/run_config.h"

namespace argand {

/// The result for one rate in the search for a row's learning rate, with seed 0.
struct RateResult {
  std::string rate;                ///< as written in the settings: "4e-3"
  std::optional<double> metric{};  ///< perplexity, or accuracy in percent; empty if the run diverged

  RateResult(std::string text, std::optional<double> result) : rate(std::move(text)), metric(result) {}
  double value() const;  ///< the rate as a number; 0 if its text is not a number
};
/// Results of a search, by ascending rate.
struct RateResults {
  std::vector<RateResult> third{};  ///< results after a third of the steps
  std::vector<RateResult> whole{};
  std::optional<double> trained{};  ///< the rate with which the row's runs were trained
};

/// Each list has one entry per row.
struct ResultTable {
  AblationTable table;
  std::vector<SeedResults> results{};
  std::vector<RateResults> rates{};
  std::vector<nlohmann::ordered_json> settings{};  ///< key -> value, from the row's first run, without seed and paths
  nlohmann::ordered_json asked{};                  ///< settings requested for all rows, as texts, without paths
  bool costs = false;                              ///< whether the runs were only long enough to measure costs
};

/// A configuration (config.json, ablation.json) with file and folder paths reduced to their last components.
nlohmann::ordered_json without_paths(nlohmann::ordered_json config);
/// All keys of a config.json except the seed, flattened.
nlohmann::ordered_json flat_settings(const nlohmann::ordered_json& config);
/// The learning rate in the settings, if there is one.
std::optional<double> rate_of_settings(const nlohmann::ordered_json& settings);
/// The configuration with these settings; keys that old runs did not record get their defaults. Throws Error for unknown or missing
/// keys.
RunConfig config_of_settings(const nlohmann::ordered_json& settings);

/// The settings shared by the rows of the table's family in OUT (its ablation.json), without paths. Throws InputError, starting
/// with `place`, if OUT contains no ablation or one of another family, and Error if the file is damaged.
nlohmann::ordered_json shared_by_rows(const AblationTable& table, const std::string& out, const std::string& place);

/// The finished runs of the table's rows in OUT, regardless of which command started them.
ResultTable read_result_folder(const AblationTable& table, const std::string& out);

/// The named rows, in table order; all if none are named. Throws InputError for an unknown name; the message says that `holder` has
/// no row of that name.
ResultTable with_rows(const ResultTable& from, const std::vector<std::string>& wanted, const std::string& holder);
/// Puts a row of `other` first, as the reference for `rows`. Throws InputError, starting with `place`, unless all of them were
/// scored on the same data in the same way.
ResultTable against_row(const ResultTable& rows, const ResultTable& other, const std::string& row, const std::string& place);

/// The rows of both tables, in the order of `before`; if both tables have a row, the one in `now` is used. Throws InputError,
/// starting with `place`, if the family, task, source, requested settings, or steps of the curves differ.
ResultTable joined(const ResultTable& before, ResultTable now, const std::string& place);

/// Drops unfinished runs and rows without runs, and thins the curves: keeps the first, the last, and every k-th of the steps common
/// to all logs, at most 160 for a language model and 80 for a classifier.
void reduce(ResultTable& runs);

}  // namespace argand
