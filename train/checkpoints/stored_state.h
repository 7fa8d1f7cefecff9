#pragma once
/// What checkpoints and module files share: parameters and buffers under their names, the optimiser's state under
/// `optimizer.STATE.NAME`, and numbers in the metadata. `what` is the kind of file, which begins errors.

#include <optional>
#include <string>

#include "data/files/safetensors.h"
#include "nn/module.h"
#include "optim/optimizer.h"

namespace argand {

constexpr const char *optimizer_prefix = "optimizer.", *encodings_prefix = "encodings.";
/// Whether a tensor of that name is not a parameter but state for resuming.
bool is_memory(const std::string& name);

template <RealScalar R>
void add_parameters(SafetensorsWriter& writer, const ParameterList<R>& parameters, const BufferList<R>& buffers = {});
template <RealScalar R>
void add_optimizer(SafetensorsWriter& writer, const Optimizer<R>& optimizer);

/// Throws Error unless the file has exactly these names with these shapes, apart from tensors that are is_memory().
template <RealScalar R>
void require_stored(const char* what, const SafetensorsFile& file, const ParameterList<R>& parameters,
                    const BufferList<R>& buffers = {});
/// Fills what require_stored() has found to fit.
template <RealScalar R>
void load_stored(const SafetensorsFile& file, const ParameterList<R>& parameters, const BufferList<R>& buffers = {});
/// `step`: as many the optimiser must have taken, where that is known. Throws Error, before the optimiser is changed, when the file
/// has no such state.
template <RealScalar R>
void load_optimizer(const char* what, const SafetensorsFile& file, std::optional<std::int64_t> step, Optimizer<R>& optimizer);

/// A number of the metadata, std::int64_t or double. Throws Error unless it is one.
template <class T>
T metadata_number(const char* what, const SafetensorsFile& file, const std::string& key);

}  // namespace argand
