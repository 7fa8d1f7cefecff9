#pragma once
/// What was measured of a finished language model besides its loss.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace argand {

/// How varied texts are, and their loss under a judge: train/evaluation/text_metrics.h.
struct TextFigures {
  double dist_1 = 0, dist_2 = 0, rep_4 = 0;
  std::optional<double> loss{};  ///< nats per token, if judged
};

struct TextProbe {
  std::int64_t prompts = 0, prompt_length = 0, tokens = 0;
  double top_p = 0, temperature = 0;
  std::string judge{};  ///< "" if not judged
  TextFigures model{};
  std::optional<TextFigures> corpus{};  ///< how the corpus itself continues the prompts
};

/// The loss by the number of preceding tokens, in nats.
struct PositionProbe {
  struct Span {
    std::int64_t first = 0, last = 0;
    double loss = 0;
  };
  std::int64_t length = 0, trained_length = 0;
  std::vector<Span> spans{};
};

/// The loss with the passages found, and with others in their place.
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
  std::vector<std::pair<std::string, double>> with{};  ///< the same after settings of parameters: "delta=0", loss
  std::optional<ExchangeProbe> exchanged{};
  std::optional<AuditProbe> audit{};
};

/// Whether a probe's file, as evaluations and audits write it, has everything that is read of it.
bool is_written(const nlohmann::ordered_json& probe);
bool is_positions(const nlohmann::ordered_json& probe);
bool is_evaluation(const nlohmann::ordered_json& probe);
bool is_exchanged(const nlohmann::ordered_json& probe);
bool is_audit(const nlohmann::ordered_json& probe);

/// The probe in the file; null if there is none. Throws Error for a damaged one.
nlohmann::ordered_json read_probe(const std::string& path, bool (*is_one)(const nlohmann::ordered_json&));

/// All probes of the run in a folder; of those with parameters set, the `interventions`.
RunProbes read_probes(const std::string& folder, const std::vector<std::string>& interventions);

}  // namespace argand
