#pragma once
/// What a finished run of an ablation says. Its configuration and its log are enough: no checkpoint is needed.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "train/ablation/ablation_tables.h"

namespace argand {

/// After the last step, on the validation part of the text or on the test articles.
struct AblationResult {
  double loss = 0;                        ///< nats a token, or an article
  double metric = 0;                      ///< perplexity, or accuracy in percent
  std::optional<double> bits_per_byte{};  ///< of a language model, where the log has it
  std::int64_t count = 0;                 ///< tokens or articles that were scored; 0 where the log does not say
  std::int64_t parameters = 0;            ///< real degrees of freedom; 0 where the log does not say
  // What it cost; 0 where the log does not say.
  double tokens_per_second = 0;                      ///< of the median step; of no step among the first three, where there are more
  double flops_per_token = 0;                        ///< of the products of matrices, forwards and backwards
  double flops_per_step = 0;                         ///< the same, of a whole step
  std::int64_t peak_memory = 0;                      ///< bytes
  double milliseconds_per_token = 0;                 ///< that it writes; 0 where there is no latency.json
  nlohmann::ordered_json timed_by{};                 ///< made_by of that
  std::map<std::int64_t, double> training_losses{};  ///< nats a token of a step's batch, of the steps that the log has
  nlohmann::ordered_json made_by{};                  ///< docs/log.md; null where the log does not say
};

/// OUT/ROW/seed-S: where an ablation has the run.
std::string folder_of_run(const std::string& out, const std::string& row, std::int64_t seed);

/// What a file of JSON says: null where there is none, discarded where it is damaged.
nlohmann::ordered_json read_json(const std::string& path);

/// The result of a run's folder; nothing while it has not ended. Throws Error for a configuration that is none.
std::optional<AblationResult> read_result(const std::string& folder);

/// Of a run without "parameters": they are counted in a model that is built for it.
std::int64_t count_parameters_of_run(const std::string& folder);

/// Seed -> result, of one row.
using SeedResults = std::map<std::int64_t, AblationResult>;

/// Of each row of the table what has ended in OUT/ROW/seed-S, whoever began it. Every result has its parameters.
std::vector<SeedResults> read_results(const AblationTable& table, const std::string& out);

/// The seeds that there are folders of, ascending.
std::vector<std::int64_t> seeds_of_row(const std::string& row_folder);

}  // namespace argand
