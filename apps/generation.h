#pragma once
/// A model that writes: prompts in, tokens out, one by one.

#include <functional>

#include "apps/sampling.h"
#include "nn/model.h"

namespace argand {

/// Called with what comes next in each text of the batch, [B].
using WriteTokens = std::function<void(std::span<const std::int32_t>)>;

/// Draws `count` tokens after each of the prompts [B, N], N >= 1, and hands them to `write` as they come. When the model's longest
/// sequence is full, it forgets the older half and reads the rest again. Throws Error for empty prompts.
template <RealScalar R>
void generate(Model<R>& model, const Ids& prompts, std::int64_t count, const SamplingOptions& options, const WriteTokens& write,
              const ForwardContext& context = {});

}  // namespace argand
