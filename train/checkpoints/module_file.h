#pragma once
/// A module of one's own in a file, to be resumed or shared: a safetensors file with its parameters and buffers under their names,
/// the optimiser's state under `optimizer.STATE.NAME`, and the number of steps in the metadata. A file is replaced all or nothing,
/// and equal states write equal bytes. (Checkpoints of the library's own models: train/checkpoints/checkpoint.h.)
///
///     std::int64_t step = std::filesystem::exists(path) ? load_module(path, net, &optimizer) : 0;
///     for (; step < 1000; ++step) {
///       if (step % 100 == 0) save_module(path, net, &optimizer, step);
///       ...
///     }

#include <optional>
#include <string>

#include "data/files/safetensors.h"
#include "nn/module.h"
#include "optim/optimizer.h"

namespace argand {

/// `optimizer` null: a file for use, not for resuming. Throws Error.
template <RealScalar R>
void save_module(const std::string& path, const Module<R>& module, const Optimizer<R>* optimizer = nullptr, std::int64_t step = 0);
/// Fills parameters, buffers and, unless it is null, the optimiser's state; returns the number of steps. Throws Error, before any
/// parameter or buffer is changed, unless the file has exactly these names with these shapes.
template <RealScalar R>
std::int64_t load_module(const std::string& path, const Module<R>& module, Optimizer<R>* optimizer = nullptr);

/// What such files and checkpoints share: the parts of a file that is written, and of one that is read.
template <RealScalar R>
void add_parameters(SafetensorsWriter& writer, const ParameterList<R>& parameters, const BufferList<R>& buffers = {});
template <RealScalar R>
void add_optimizer(SafetensorsWriter& writer, const Optimizer<R>& optimizer);
/// `what`: the kind of file, which begins errors. Tensors that belong to none of these must be is_memory().
template <RealScalar R>
void load_parameters(const char* what, const SafetensorsFile& file, const ParameterList<R>& parameters,
                     const BufferList<R>& buffers = {});
/// `step`: as many the optimiser must have taken, where that is known.
template <RealScalar R>
void load_optimizer(const char* what, const SafetensorsFile& file, std::optional<std::int64_t> step, Optimizer<R>& optimizer);

/// Whether a tensor of that name is not a parameter but state for resuming.
bool is_memory(const std::string& name);
/// A number of the metadata. Throws Error unless it is one.
std::int64_t whole_number(const char* what, const SafetensorsFile& file, const std::string& key);

}  // namespace argand
