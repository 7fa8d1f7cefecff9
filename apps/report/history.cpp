#include "apps/report/history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "apps/report/log.h"
#include "nn/attention_watch.h"
#include "nn/family.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;
using Snapshot = std::map<std::string, AnyTensorOf<double>>;

/// Limits on how many numbers the page holds in total, and on how many steps are drawn.
constexpr std::int64_t most_numbers = 40'000, most_steps = 12;

/// Whether the page follows this parameter through training: its values or, for complex weights, their phases.
bool is_reported(const ReportParts& parts, const std::string& name, bool is_complex) {
  if (is_complex) return parts.weight_phases && name.ends_with(".weight");
  return std::any_of(parts.history.begin(), parts.history.end(), [&](const std::string& end) { return name.ends_with(end); });
}

/// The initial values of the reported parameters.
Snapshot drawn(const RunConfig& config) {
  Snapshot snapshot;
  with_precision(config, [&]<class R>(R) {
    const auto model = make_model<R>(config.model, static_cast<std::uint64_t>(config.training.seed));
    for (const Parameter<R>& p : model->parameters())
      if (is_reported(config.model.family().report, p.name, p.is_complex()))
        std::visit([&](const auto& v) { snapshot[p.name] = in_double(v.value()); }, p.var);
  });
  return snapshot;
}

/// The parameters in `wanted`, as read from a checkpoint.
Snapshot read(const Checkpoint& checkpoint, const Snapshot& wanted) {
  Snapshot snapshot;
  for (const auto& [name, like] : wanted)
    std::visit([&, &place = name]<class T>(const Tensor<T>&) { snapshot[place] = checkpoint.file().tensor<T>(place); }, like);
  return snapshot;
}

/// The first, the last, and evenly spaced steps between them.
std::vector<std::int64_t> chosen_steps(std::vector<std::int64_t> steps, std::int64_t most) {
  std::vector<std::int64_t> chosen;
  const auto last = static_cast<std::int64_t>(steps.size()) - 1;
  for (std::int64_t i = 0; i < most; ++i) chosen.push_back(steps[static_cast<std::size_t>(i * last / (most - 1))]);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

Json phases_of(const Tensor<std::complex<double>>& weights) {
  std::vector<std::int64_t> counts(phase_bins);
  for (const auto z : weights.span()) count_phase(z, counts);
  return counts;
}

}  // namespace

void count_phase(std::complex<double> z, std::vector<std::int64_t>& counts) {
  if (z == 0.0) return;
  const auto turns = static_cast<double>(phase_bins) * std::arg(z) / (2 * std::numbers::pi);
  const auto bins = static_cast<std::int64_t>(phase_bins);
  ++counts[static_cast<std::size_t>((std::llround(turns) + bins) % bins)];
}

nlohmann::ordered_json history_of(const RunFolder& folder, const Checkpoint& newest) {
  const RunConfig& config = newest.config();
  Snapshot first = drawn(config);
  if (first.empty()) return nullptr;
  std::vector<std::int64_t> steps = folder.kept_steps();
  if (!steps.empty() && steps.front() == 0) first = read(Checkpoint(folder.at_step(0)), first);  // the run began with other weights
  std::int64_t numbers = 0;
  for (const auto& [name, tensor] : first)
    if (tensor.index() == 0) numbers += std::get<0>(tensor).size();
  std::erase_if(steps, [&](std::int64_t step) { return step <= 0 || step >= newest.state().step; });
  steps.insert(steps.begin(), 0);
  if (newest.state().step > 0) steps.push_back(newest.state().step);
  steps = chosen_steps(steps, std::clamp(most_numbers / std::max<std::int64_t>(1, numbers), std::int64_t{2}, most_steps));

  Json history = {{"steps", steps}, {"parameters", Json::object()}, {"phases", Json::object()}};
  for (const std::int64_t step : steps) {
    const Snapshot snapshot = step == 0                     ? first
                              : step == newest.state().step ? read(newest, first)
                                                            : read(Checkpoint(folder.at_step(step)), first);
    for (const auto& [name, tensor] : snapshot) {
      if (const auto* weights = std::get_if<Tensor<std::complex<double>>>(&tensor)) {
        if (step == 0) history["phases"][name]["first"] = phases_of(*weights);
        history["phases"][name]["last"] = phases_of(*weights);
        continue;
      }
      const auto& values = std::get<Tensor<double>>(tensor);
      Json flat = Json::array();
      for (const double value : values.span()) flat.push_back(for_page(value));
      history["parameters"][name]["shape"] = std::vector<std::int64_t>(values.shape().begin(), values.shape().end());
      history["parameters"][name]["values"].push_back(std::move(flat));
    }
  }
  return history;
}

}  // namespace argand
