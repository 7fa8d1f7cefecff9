#pragma once
/// Measurements of a finished language model other than its loss.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace argand {

/// The diversity of generated texts, and their loss under a judge (train/evaluation/text_metrics.h).
struct TextFigures {
  double dist_1 = 0, dist_2 = 0, rep_4 = 0;
  std::optional<double> loss{};  ///< nats per token, if judged
};

struct TextProbe {
  std::int64_t prompts = 0, prompt_length = 0, tokens = 0;
  double top_p = 0, temperature = 0;
  std::string judge{};  ///< "" if not judged
  TextFigures model{};
  std::optional<TextFigures> corpus{};  ///< for the original continuations in the corpus
};

/// Loss in nats as a function of the number of preceding tokens.
struct PositionProbe {
  struct Span {
    std::int64_t first = 0, last = 0;
    double loss = 0;
  };
  std::int64_t length = 0, trained_length = 0;
  std::vector<Span> spans{};
};

/// Loss with the retrieved passages, and with other passages in their place.
struct ExchangeProbe {
  std::int64_t count = 0;
  double loss = 0, exchanged = 0;
};

struct AuditProbe {
  std::int64_t batches = 0, windows = 0, reads = 0, pairs = 0, violations = 0;
};

struct RunProbes {
  std::optional<PositionProbe> positions{};
  std::optional<TextProbe> texts{};
  std::optional<double> as_learnt{};                   ///< validation loss
  std::vector<std::pair<std::string, double>> with{};  ///< loss after setting parameters, for each setting: ("delta=0", loss)
  std::optional<ExchangeProbe> exchanged{};
  std::optional<AuditProbe> audit{};
};

/// Whether a file written by an evaluation or an audit contains all the values that are read from it.
bool is_written(const nlohmann::ordered_json& probe);
bool is_positions(const nlohmann::ordered_json& probe);
bool is_evaluation(const nlohmann::ordered_json& probe);
bool is_exchanged(const nlohmann::ordered_json& probe);
bool is_audit(const nlohmann::ordered_json& probe);

/// Reads one probe from a file; null if there is no file. Throws Error if the file is damaged.
nlohmann::ordered_json read_probe(const std::string& path, bool (*is_one)(const nlohmann::ordered_json&));

/// All probes of the run in a folder. `interventions` lists the parameter settings to look for.
RunProbes read_probes(const std::string& folder, const std::vector<std::string>& interventions);

}  // namespace argand
