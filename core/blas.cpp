#include "core/blas.h"

#include <cblas.h>
#include <fmt/format.h>
#include <strings.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>

namespace argand {

CpuFeatures cpu_features() {
  CpuFeatures cpu;
#if defined(__x86_64__)
  cpu.intel = __builtin_cpu_is("intel");
  cpu.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  cpu.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
#endif
  return cpu;
}

std::string fast_kernels_for(std::string_view running, const CpuFeatures& cpu) {
  static const std::set<std::string_view> avx512 = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  static const std::set<std::string_view> avx2 = {"Haswell", "Zen", "Excavator"};
  if (avx512.contains(running)) return "";
  // AMD's AVX2 kernels are as fast as the AVX-512 ones (sgemm on Zen 4: 109 and 104 GFlop/s a core); Intel's are half as fast.
  if (avx2.contains(running)) return cpu.avx512 && cpu.intel ? "SkylakeX" : "";
  if (cpu.avx512) return "SkylakeX";
  return cpu.avx2 ? "Haswell" : "";
}

BlasKernels blas_kernels() {
  const std::string running = openblas_get_corename();
  return {running, fast_kernels_for(running, cpu_features()), openblas_get_parallel() == OPENBLAS_OPENMP};
}

void restart_with_fast_blas(char** argv) {
  const std::string wanted = blas_kernels().wanted;
  if (!wanted.empty()) restart_with_coretype(wanted, argv);
}

void restart_with_coretype(const std::string& coretype, char** argv) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  setenv("OPENBLAS_CORETYPE", coretype.c_str(), 1);
  execv("/proc/self/exe", argv);
  unsetenv("OPENBLAS_CORETYPE");  // exec failed: go on, slowly, and let the warning speak
}

void warn_of_slow_blas() {
  static std::once_flag once;
  std::call_once(once, [] {
    const BlasKernels kernels = blas_kernels();
    const char* chosen = std::getenv("OPENBLAS_CORETYPE");
    const bool as_chosen = chosen != nullptr && strcasecmp(chosen, kernels.running.c_str()) == 0;
    if (!kernels.wanted.empty() && !as_chosen)
      fmt::print(stderr,
                 "argand: OpenBLAS runs its {} kernels, several times slower than this processor allows; "
                 "set OPENBLAS_CORETYPE={} in the environment before the program starts\n",
                 kernels.running, kernels.wanted);
    if (!kernels.shares_threads)
      fmt::print(stderr,
                 "argand: this is not OpenBLAS's openmp flavour (Debian: libopenblas-openmp-dev); "
                 "argand holds it at one thread in the whole program\n");
  });
}

}  // namespace argand
