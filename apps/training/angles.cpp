#include "apps/training/angles.h"

#include <fmt/format.h>

#include "core/qic_algebra.h"

namespace argand {
namespace {

bool is_angle(std::string_view name) { return name == "theta" || name.ends_with(".theta"); }

}  // namespace

template <RealScalar R>
std::vector<Angles> angles_of(const ParameterList<R>& parameters) {
  std::vector<Angles> found;
  for (const Parameter<R>& p : parameters) {
    if (p.is_complex() || !is_angle(p.name)) continue;
    const Tensor<R>& x = std::get<Var<R>>(p.var).value();
    found.push_back({p.name, {x.begin(), x.end()}});
  }
  return found;
}

std::vector<Angles> angles_of(const SafetensorsFile& file) {
  std::vector<Angles> found;
  for (const std::string& name : file.names()) {
    const StoredTensor& tensor = file.info(name);
    if (tensor.is_complex || !is_angle(name) || name.starts_with("optimizer.") || tensor.dtype.find('F') == tensor.dtype.npos)
      continue;
    const Tensor<double> x = file.tensor<double>(name);
    found.push_back({name, {x.begin(), x.end()}});
  }
  return found;
}

std::vector<std::string> angle_table(const std::vector<Angles>& angles) {
  std::vector<std::string> lines;
  for (const Angles& a : angles) {
    std::string line = fmt::format("{:<24}", a.name);
    for (const double theta : a.values) line += fmt::format("  {:.4f} ({:+.3f})", theta, kappa(theta));
    lines.push_back(line);
  }
  return lines;
}

template std::vector<Angles> angles_of(const ParameterList<float>&);
template std::vector<Angles> angles_of(const ParameterList<double>&);

}  // namespace argand
