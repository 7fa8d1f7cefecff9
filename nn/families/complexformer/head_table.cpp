#include "nn/families/complexformer/head_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace argand {
namespace {

/// Mean ± std of row `head` of [H, n], or of all of [n] if the heads share parameters.
std::string row_figures(const Tensor<double>& x, std::int64_t head) {
  const std::int64_t n = x.shape().back();
  const double* row = x.data() + (x.rank() == 2 ? head * n : 0);
  double mean = 0, variance = 0;
  for (std::int64_t i = 0; i < n; ++i) mean += row[i] / static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) variance += (row[i] - mean) * (row[i] - mean) / static_cast<double>(n);
  return fmt::format("{:+.4f} ± {:.4f}", mean, std::sqrt(variance));
}

/// The tensor [H, n] or [n] with this name, or null.
const Tensor<double>* find_rows(const std::vector<NamedNumbers>& parameters, const std::string& name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const NamedNumbers& p) { return p.name == name; });
  if (found == parameters.end()) return nullptr;
  const Tensor<double>& x = found->numbers;
  return (x.rank() == 1 || x.rank() == 2) && x.size() > 0 ? &x : nullptr;
}

}  // namespace

std::vector<std::string> head_table(const std::vector<NamedNumbers>& parameters) {
  std::vector<std::string> lines;
  for (std::int64_t layer = 0;; ++layer) {
    const std::string place = fmt::format("blocks.{}.attn.", layer);
    const Tensor<double>*delta = find_rows(parameters, place + "delta"), *bias = find_rows(parameters, place + "phase_bias");
    if (delta == nullptr || bias == nullptr || delta->shape() != bias->shape()) break;
    if (lines.empty()) lines.push_back(fmt::format("{:<18}{:<22}{}", "", "phase scale δ", "phase bias b"));
    const std::int64_t heads = delta->rank() == 2 ? delta->dim(0) : 1;
    for (std::int64_t h = 0; h < heads; ++h)
      lines.push_back(
          fmt::format("{:<18}{:<22}{}",
                      delta->rank() == 2 ? fmt::format("layer {} head {}", layer, h) : fmt::format("layer {} all heads", layer),
                      row_figures(*delta, h), row_figures(*bias, h)));
  }
  return lines;
}

}  // namespace argand
