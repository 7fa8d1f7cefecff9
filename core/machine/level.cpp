#include "core/machine/level.h"

#include "core/machine/cpu.h"

namespace argand {

std::string_view level_name(Level level) {
  switch (level) {
    case Level::Baseline: return "baseline";
    case Level::V3: return "v3";
    case Level::V4: return "v4";
  }
  return "?";
}

std::optional<Level> level_named(std::string_view name) {
  for (const Level level : {Level::Baseline, Level::V3, Level::V4})
    if (name == level_name(level)) return level;
  return std::nullopt;
}

Level library_level() {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
  return Level::V4;
#elif defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__)
  return Level::V3;
#else
  return Level::Baseline;
#endif
}

Level processor_level() {
#if defined(__x86_64__)
  const CpuFeatures cpu = cpu_features();
  const bool v3 = cpu.avx2 && __builtin_cpu_supports("bmi2");
  return v3 && cpu.avx512 ? Level::V4 : v3 ? Level::V3 : Level::Baseline;
#else
  return Level::Baseline;
#endif
}

}  // namespace argand
