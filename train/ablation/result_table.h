#pragma once
/// The rows of an ablation with the results of their runs: what all tables are made of. They are read from the folder of the runs,
/// or from the file in which they are kept (result_file.h).

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "train/ablation/ablation_result.h"
#include "train/config/run_config.h"

namespace argand {

/// What a search for a row's learning rate came to, with seed 0.
struct RateResult {
  std::string rate;                ///< as it was set: "4e-3"
  std::optional<double> metric{};  ///< perplexity, or accuracy in percent; nothing if the run diverged

  RateResult(std::string text, std::optional<double> result) : rate(std::move(text)), metric(result) {}
  double value() const;  ///< of the rate; 0 if its text is not a number
};
/// By ascending rate.
struct RateResults {
  std::vector<RateResult> third{};  ///< after a third of the length
  std::vector<RateResult> whole{};
  std::optional<double> trained{};  ///< the rate that the row's runs have
};

/// One entry per row in each of the lists.
struct ResultTable {
  AblationTable table;
  std::vector<SeedResults> results{};
  std::vector<RateResults> rates{};
  std::vector<nlohmann::ordered_json> settings{};  ///< key -> value, of the row's first run, without seed and paths
  nlohmann::ordered_json asked{};                  ///< what was requested for all rows, as texts, without paths
  bool costs = false;                              ///< of runs that are long enough to measure costs, and no longer
};

/// A configuration (config.json, ablation.json) with file and folder paths reduced to their last names.
nlohmann::ordered_json without_paths(nlohmann::ordered_json config);
/// All keys of a config.json but the seed.
nlohmann::ordered_json flat_settings(const nlohmann::ordered_json& config);
/// Their learning rate, if they have one.
std::optional<double> rate_of_settings(const nlohmann::ordered_json& settings);
/// The configuration of such settings, with the defaults that old ones leave unsaid. Throws Error for unknown and missing keys.
RunConfig config_of_settings(const nlohmann::ordered_json& settings);

/// The settings shared by the rows of the table's family in OUT (its ablation.json), without paths. Throws InputError, starting
/// with `place`, when OUT holds no ablation or another family's, and Error when the file is damaged.
nlohmann::ordered_json shared_by_rows(const AblationTable& table, const std::string& out, const std::string& place);

/// The finished runs of the table's rows in OUT, no matter which command started them.
ResultTable read_result_folder(const AblationTable& table, const std::string& out);

/// The named rows, in table order; all if none are named. Throws InputError for an unknown one: `holder` has none of that name.
ResultTable with_rows(const ResultTable& from, const std::vector<std::string>& wanted, const std::string& holder);
/// The same rows behind another one, so that they are compared with that: a row of `other`. Throws InputError, starting with
/// `place`, when its losses are not of the same data, scored alike.
ResultTable against_row(const ResultTable& rows, const ResultTable& other, const std::string& row, const std::string& place);

/// The rows of both, in the order of those kept before; a row that is in both is the new one. Throws InputError, starting with
/// `place`, when family, task, source, requested settings, or the steps of the curves differ.
ResultTable joined(const ResultTable& before, ResultTable now, const std::string& place);

/// Drops runs that have not ended, rows without runs, and losses of all steps but some that all logs have: the first, the last, and
/// of the others every k-th, at most 160 of a language model and 80 of a classifier.
void reduce(ResultTable& runs);

}  // namespace argand
