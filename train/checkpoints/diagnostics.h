#pragma once
/// The parameters that a family counts among those that mean something by themselves (DiagnosticParameters in nn/family.h), of a
/// model in training or of a file.

#include "autograd/parameter.h"
#include "data/files/safetensors.h"
#include "nn/family.h"

namespace argand {

/// The real ones that `diagnostics` names, in the order of the list.
template <RealScalar R>
std::vector<NamedNumbers> diagnostic_parameters(const DiagnosticParameters& diagnostics, const ParameterList<R>& parameters);
/// The optimiser's memory of them is left out.
std::vector<NamedNumbers> diagnostic_parameters(const DiagnosticParameters& diagnostics, const SafetensorsFile& file);

/// Mean and standard deviation, √(Σ (x - mean)² / count), of all numbers of the parameters that are called so; count 0 when there
/// are none.
struct NumbersOfParameter {
  std::int64_t count = 0;
  double mean = 0, std = 0;
};
NumbersOfParameter numbers_of(const std::vector<NamedNumbers>& parameters, std::string_view called);

}  // namespace argand
