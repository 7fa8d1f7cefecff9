#include "core/machine/openblas_kernels.h"

#include <fmt/format.h>
#include <strings.h>

#include <cstdlib>
#include <set>

#include "core/machine/blas.h"
#include "core/machine/process.h"

namespace argand {

std::string fast_kernels_for(std::string_view running, const CpuFeatures& cpu) {
  static const std::set<std::string_view> avx512 = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  static const std::set<std::string_view> avx2 = {"Haswell", "Zen", "Excavator"};
  // "Unknown": a static OpenBLAS that has not been initialised yet.
  if (running == "plain" || running == "Unknown" || avx512.contains(running)) return "";
  // On AMD, the AVX2 kernels are as fast as the AVX-512 ones (sgemm on Zen 4: 109 and 104 GFlop/s per core); on Intel, half as
  // fast.
  if (avx2.contains(running)) return cpu.avx512 && cpu.intel ? "SkylakeX" : "";
  if (cpu.avx512) return "SkylakeX";
  return cpu.avx2 ? "Haswell" : "";
}

BlasKernels blas_kernels() {
  const std::string running = blas_kernels_name();
  return {running, fast_kernels_for(running, cpu_features()), blas_shares_threads()};
}

namespace {

/// Whether faster kernels exist and the user has not chosen those that run.
bool are_slow(const BlasKernels& kernels) {
  const char* chosen = std::getenv("OPENBLAS_CORETYPE");
  const bool as_chosen = chosen != nullptr && strcasecmp(chosen, kernels.running.c_str()) == 0;
  return !kernels.wanted.empty() && !as_chosen;
}

[[maybe_unused]] const bool changed_at_load = use_fast_kernels();

}  // namespace

bool use_fast_kernels() {
  const BlasKernels kernels = blas_kernels();
  return are_slow(kernels) && threads_of_this_process() == 1 && change_blas_kernels(kernels.wanted);
}

std::string blas_advice() {
  const BlasKernels kernels = blas_kernels();
  std::string advice;
  if (are_slow(kernels))
    advice += fmt::format(
        "argand: OpenBLAS runs its {} kernels, several times slower than this processor allows; "
        "set OPENBLAS_CORETYPE={} in the environment before the program starts\n",
        kernels.running, kernels.wanted);
  if (!kernels.shares_threads)
    advice +=
        "argand: OpenBLAS does not share argand's threads, so it is limited to one thread in the whole program; "
        "its openmp flavour (Debian: libopenblas-openmp-dev) would share them\n";
  return advice;
}

}  // namespace argand
