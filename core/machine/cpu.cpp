#include "core/machine/cpu.h"

namespace argand {

CpuFeatures cpu_features() {
  CpuFeatures cpu;
#if defined(__x86_64__)
  cpu.intel = __builtin_cpu_is("intel");
  cpu.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  cpu.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  cpu.bf16 = cpu.avx512 && __builtin_cpu_supports("avx512bf16");
#endif
  return cpu;
}

}  // namespace argand
