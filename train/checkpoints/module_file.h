#pragma once
/// Saves and loads a custom module, to resume training or to share it: a safetensors file with its parameters and buffers under
/// their names, the optimiser's state under `optimizer.STATE.NAME`, and the number of steps in the metadata. Files are replaced
/// atomically, and equal states write identical bytes. (Checkpoints of the library's own models: train/checkpoints/checkpoint.h.)
///
///     std::int64_t step = std::filesystem::exists(path) ? load_module(path, net, &optimizer) : 0;
///     for (; step < 1000; ++step) {
///       if (step % 100 == 0) save_module(path, net, &optimizer, step);
///       ...
///     }

#include <string>

#include "nn/module.h"
#include "optim/optimizer.h"

namespace argand {

/// `optimizer` may be null if the file is not for resuming. Throws Error.
template <RealScalar R>
void save_module(const std::string& path, const Module<R>& module, const Optimizer<R>* optimizer = nullptr, std::int64_t step = 0);
/// Loads parameters, buffers and, unless `optimizer` is null, the optimiser's state; returns the number of steps. Throws Error,
/// before any parameter or buffer is changed, unless the file has exactly these names with these shapes.
template <RealScalar R>
std::int64_t load_module(const std::string& path, const Module<R>& module, Optimizer<R>* optimizer = nullptr);

}  // namespace argand
