#pragma once
/// The result of a finished ablation run, read from its configuration and log; no checkpoint is needed.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "train/ablation/ablation_tables.h"
#include "train/ablation/run_probes.h"

namespace argand {

/// Results after the last step, on the validation text or the test articles.
struct AblationResult {
  double loss = 0;                        ///< nats per token, or per article
  double metric = 0;                      ///< perplexity, or accuracy in percent
  std::optional<double> accuracy{};       ///< classifiers: the fraction of articles labelled correctly
  std::optional<double> bits_per_byte{};  ///< language models, if logged
  std::int64_t count = 0;                 ///< tokens or articles scored; 0 if not logged
  std::int64_t parameters = 0;            ///< real degrees of freedom; 0 if not logged
  // Costs; 0 if not logged.
  double tokens_per_second = 0;                      ///< in the median step, without the first three if there are more
  double flops_per_token = 0;                        ///< of matrix products, forward and backward
  double flops_per_step = 0;                         ///< of matrix products in a whole step
  std::int64_t peak_memory = 0;                      ///< bytes
  double milliseconds_per_token = 0;                 ///< when generating text; 0 if there is no latency.json
  double milliseconds_to_first_token = 0;            ///< 0 if there is no latency.json
  nlohmann::ordered_json timed_by{};                 ///< `made_by` of the latency measurement
  std::map<std::int64_t, double> training_losses{};  ///< nats per token in a step's batch, for the logged steps
  nlohmann::ordered_json made_by{};                  ///< see docs/log.md; null if not logged
  nlohmann::ordered_json learnt{};                   ///< learned parameters in the last log line
  RunProbes probes{};                                ///< set by read_results
};

/// OUT/ROW/seed-S, the folder of an ablation run.
std::string folder_of_run(const std::string& out, const std::string& row, std::int64_t seed);

/// Parses a JSON file. Returns null if it is missing and a discarded value if it is damaged.
nlohmann::ordered_json read_json(const std::string& path);

/// The result stored in a run's folder; empty until the run has ended. Throws Error for an invalid configuration.
std::optional<AblationResult> read_result(const std::string& folder);

/// For a run whose log lacks "parameters": builds its model and counts them.
std::int64_t count_parameters_of_run(const std::string& folder);

/// Maps each seed of a row to its result.
using SeedResults = std::map<std::int64_t, AblationResult>;

/// For each row of the table, the finished runs in OUT/ROW/seed-S, regardless of which command started them. All results include
/// parameters and probes.
std::vector<SeedResults> read_results(const AblationTable& table, const std::string& out);

/// The seeds that have folders, in ascending order.
std::vector<std::int64_t> seeds_of_row(const std::string& row_folder);

}  // namespace argand
