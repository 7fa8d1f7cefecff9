#pragma once
/// Shared by checkpoints and module files, which store parameters and buffers under their names, the optimiser's state under
/// `optimizer.STATE.NAME`, and numbers in the metadata. `what` names the kind of file at the beginning of error messages.

#include <optional>
#include <string>

#include "data/files/safetensors.h"
#include "nn/module.h"
#include "optim/optimizer.h"

namespace argand {

constexpr const char *optimizer_prefix = "optimizer.", *encodings_prefix = "encodings.";
/// Whether a tensor with this name is state for resuming rather than a parameter.
bool is_resume_state(const std::string& name);

template <RealScalar R>
void add_parameters(SafetensorsWriter& writer, const ParameterList<R>& parameters, const BufferList<R>& buffers = {});
template <RealScalar R>
void add_optimizer(SafetensorsWriter& writer, const Optimizer<R>& optimizer);

/// Throws Error unless the file has exactly these names with these shapes, ignoring tensors for which is_resume_state() is true.
template <RealScalar R>
void require_stored(const char* what, const SafetensorsFile& file, const ParameterList<R>& parameters,
                    const BufferList<R>& buffers = {});
/// Loads the parameters and buffers; call require_stored() first.
template <RealScalar R>
void load_stored(const SafetensorsFile& file, const ParameterList<R>& parameters, const BufferList<R>& buffers = {});
/// `step`: the number of steps the optimiser must have taken, if known. Throws Error, leaving the optimiser unchanged, if the file
/// does not contain its state.
template <RealScalar R>
void load_optimizer(const char* what, const SafetensorsFile& file, std::optional<std::int64_t> step, Optimizer<R>& optimizer);

/// A number in the metadata, std::int64_t or double. Throws Error if it is missing or is not of type T.
template <class T>
T metadata_number(const char* what, const SafetensorsFile& file, const std::string& key);

}  // namespace argand
