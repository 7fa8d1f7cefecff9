#pragma once
/// A family's diagnostic parameters (DiagnosticParameters in nn/family.h), read from a model in training or from a file.

#include "autograd/parameter.h"
#include "data/files/safetensors.h"
#include "nn/family.h"

namespace argand {

/// The real parameters named in `diagnostics`, in the order of the list.
template <RealScalar R>
std::vector<NamedNumbers> diagnostic_parameters(const DiagnosticParameters& diagnostics, const ParameterList<R>& parameters);
/// Reads the diagnostic parameters from a file, without the optimiser's state.
std::vector<NamedNumbers> diagnostic_parameters(const DiagnosticParameters& diagnostics, const SafetensorsFile& file);

/// Mean and standard deviation, √(Σ (x - mean)² / count), of all elements of the parameters with a given name; count is 0 if there
/// are none.
struct NumbersOfParameter {
  std::int64_t count = 0;
  double mean = 0, std = 0;
};
NumbersOfParameter numbers_of(const std::vector<NamedNumbers>& parameters, std::string_view called);

}  // namespace argand
