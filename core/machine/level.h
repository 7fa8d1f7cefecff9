#pragma once
/// Which level of x86-64 the library was compiled for, and which the processor has. An installation may hold the library several
/// times (glibc-hwcaps/x86-64-v3/, -v4/ beside the baseline); the dynamic loader then takes the highest that the processor has.

#include <optional>
#include <string_view>

namespace argand {

/// Baseline: SSE2 (and whatever is not x86-64). V3: AVX2, FMA, BMI2. V4: AVX-512 F, BW, CD, DQ, VL.
enum class Level { Baseline, V3, V4 };

/// "baseline", "v3", "v4"
std::string_view level_name(Level level);
/// The level of that name, if there is one.
std::optional<Level> level_named(std::string_view name);

/// What the library that runs was compiled for.
Level library_level();
/// The highest level that this processor has.
Level processor_level();

}  // namespace argand
