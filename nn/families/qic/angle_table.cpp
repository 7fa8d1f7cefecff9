#include "nn/families/qic/angle_table.h"

#include <fmt/format.h>

#include "core/qic_algebra.h"

namespace argand {

std::vector<std::string> angle_table(const std::vector<NamedNumbers>& parameters) {
  std::vector<std::string> lines;
  for (const auto& [name, angles] : parameters) {
    if (!is_called(name, "theta")) continue;
    std::string line = fmt::format("{:<24}", name);
    for (const double theta : angles) line += fmt::format("  {:.4f} ({:+.3f})", theta, kappa(theta));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace argand
