#include "train/checkpoints/diagnostics.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/elementwise.h"

namespace argand {
namespace {

bool are_named_by(const DiagnosticParameters& diagnostics, std::string_view name) {
  const auto named = [name](const std::string& called) { return name_ends_with(name, called); };
  return std::any_of(diagnostics.values.begin(), diagnostics.values.end(), named) ||
         std::any_of(diagnostics.spreads.begin(), diagnostics.spreads.end(), named);
}

}  // namespace

template <RealScalar R>
std::vector<NamedNumbers> diagnostic_parameters(const DiagnosticParameters& diagnostics, const ParameterList<R>& parameters) {
  std::vector<NamedNumbers> found;
  for (const Parameter<R>& p : parameters)
    if (!p.is_complex() && are_named_by(diagnostics, p.name))
      found.push_back({p.name, map([](R x) { return static_cast<double>(x); }, std::get<Var<R>>(p.var).value())});
  return found;
}

std::vector<NamedNumbers> diagnostic_parameters(const DiagnosticParameters& diagnostics, const SafetensorsFile& file) {
  std::vector<NamedNumbers> found;
  for (const std::string& name : file.names()) {
    const StoredTensor& tensor = file.info(name);
    const bool is_real = !tensor.is_complex && tensor.dtype.find('F') != tensor.dtype.npos;
    if (is_real && !name.starts_with("optimizer.") && are_named_by(diagnostics, name))
      found.push_back({name, file.tensor<double>(name)});
  }
  return found;
}

NumbersOfParameter numbers_of(const std::vector<NamedNumbers>& parameters, std::string_view called) {
  NumbersOfParameter spread;
  double sum = 0, squares = 0;
  for (const auto& [name, numbers] : parameters) {
    if (!name_ends_with(name, called)) continue;
    for (const double x : numbers) {
      sum += x;
      squares += x * x;
    }
    spread.count += numbers.size();
  }
  if (spread.count == 0) return spread;
  const auto n = static_cast<double>(spread.count);
  spread.mean = sum / n;
  spread.std = std::sqrt(std::max(0.0, squares / n - spread.mean * spread.mean));
  return spread;
}

template std::vector<NamedNumbers> diagnostic_parameters(const DiagnosticParameters&, const ParameterList<float>&);
template std::vector<NamedNumbers> diagnostic_parameters(const DiagnosticParameters&, const ParameterList<double>&);

}  // namespace argand
