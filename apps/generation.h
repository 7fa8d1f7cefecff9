#pragma once
/// A model that writes: prompt in, tokens out, one by one.

#include <functional>

#include "apps/sampling.h"
#include "nn/model.h"

namespace argand {

/// Draws `count` tokens after the prompt [N], N >= 1, and hands each to `write` as it comes. When the model's longest sequence is
/// full, it forgets the older half and reads the rest again.
template <RealScalar R>
void generate(Model<R>& model, std::span<const std::int32_t> prompt, std::int64_t count, const SamplingOptions& options,
              const std::function<void(std::int32_t)>& write);

}  // namespace argand
