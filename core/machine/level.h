#pragma once
/// The x86-64 level the library was compiled for, and the one the processor supports. An installation may contain several builds of
/// the library (glibc-hwcaps/x86-64-v3/, -v4/ alongside the baseline); the dynamic loader then picks the highest that the processor
/// supports.

#include <optional>
#include <string_view>

namespace argand {

/// Baseline: SSE2 (and everything that is not x86-64). V3: AVX2, FMA, BMI2. V4: AVX-512 F, BW, CD, DQ, VL.
enum class Level { Baseline, V3, V4 };

/// "baseline", "v3", "v4"
std::string_view level_name(Level level);
/// The level of that name, if there is one.
std::optional<Level> level_named(std::string_view name);

/// The level the running library was compiled for.
Level library_level();
/// The highest level that this processor supports.
Level processor_level();

}  // namespace argand
