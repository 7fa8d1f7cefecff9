#include "apps/inference/head_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace argand {
namespace {

/// Mean ± std of row `head` of [H, n]; of all of [n] when the heads share one.
std::string row_figures(const Tensor<double>& x, std::int64_t head) {
  const std::int64_t n = x.rank() == 0 ? 1 : x.shape().back();
  const double* row = x.data() + (x.rank() == 2 ? head * n : 0);
  double mean = 0, variance = 0;
  for (std::int64_t i = 0; i < n; ++i) mean += row[i] / static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) variance += (row[i] - mean) * (row[i] - mean) / static_cast<double>(n);
  return fmt::format("{:+.4f} ± {:.4f}", mean, std::sqrt(variance));
}

/// A real [H, n] or [n] tensor.
bool fits(const SafetensorsFile& file, const std::string& name) {
  if (!file.contains(name)) return false;
  const StoredTensor& tensor = file.info(name);
  return !tensor.is_complex && tensor.dtype.find('F') != tensor.dtype.npos &&
         (tensor.shape.rank() == 1 || tensor.shape.rank() == 2) && tensor.shape.size() > 0;
}

}  // namespace

std::vector<std::string> head_table(const SafetensorsFile& file) {
  std::vector<std::string> lines;
  for (std::int64_t layer = 0;; ++layer) {
    const std::string place = fmt::format("blocks.{}.attn.", layer);
    if (!fits(file, place + "delta") || !fits(file, place + "phase_bias")) break;
    const auto delta = file.tensor<double>(place + "delta"), bias = file.tensor<double>(place + "phase_bias");
    if (delta.shape() != bias.shape()) break;
    if (lines.empty()) lines.push_back(fmt::format("{:<18}{:<22}{}", "", "phase scale δ", "phase bias b"));
    const std::int64_t heads = delta.rank() == 2 ? delta.dim(0) : 1;
    for (std::int64_t h = 0; h < heads; ++h)
      lines.push_back(
          fmt::format("{:<18}{:<22}{}",
                      delta.rank() == 2 ? fmt::format("layer {} head {}", layer, h) : fmt::format("layer {} all heads", layer),
                      row_figures(delta, h), row_figures(bias, h)));
  }
  return lines;
}

}  // namespace argand
