#pragma once
/// The care that OpenBLAS's fast kernels are the ones that run. The products themselves: core/gemm.h.

#include <string>
#include <string_view>

#include "core/gemm.h"

namespace argand {

/// What decides which of OpenBLAS's kernels are fast on a processor.
struct CpuFeatures {
  bool intel = false;
  bool avx2 = false;    ///< with FMA
  bool avx512 = false;  ///< F, DQ, BW, VL and CD: what the SkylakeX kernels use
};
CpuFeatures cpu_features();

/// The OPENBLAS_CORETYPE that uses this processor's vectors when the kernels `running` do not; empty when they do.
std::string fast_kernels_for(std::string_view running, const CpuFeatures& cpu);

/// What OpenBLAS found and what it should have found.
struct BlasKernels {
  std::string running;         ///< openblas_get_corename(), e.g. "Prescott"
  std::string wanted;          ///< fast_kernels_for(running, cpu_features())
  bool shares_threads = true;  ///< OpenBLAS runs in our OpenMP threads; if not, gemm holds it at one thread in the whole program
};
BlasKernels blas_kernels();

/// For main(): when OpenBLAS runs kernels much slower than the processor allows (Debian 12's 0.3.21 does not know recent Intel
/// cores and falls back to SSE, a fifth of the speed), starts the program again, once, with OPENBLAS_CORETYPE set.
/// A value that the user has set is respected. Does not return when it restarts.
void restart_with_fast_blas(char** argv);

/// The restart itself: the same program, arguments and environment, and OPENBLAS_CORETYPE=coretype. Returns at once when that
/// variable has a value already (the user's choice, or this function's in the start before: hence once) or when exec fails.
void restart_with_coretype(const std::string& coretype, char** argv);

/// For libraries' users without such a main(): says once, on standard error, how to get the fast kernels, if they are missing.
void warn_of_slow_blas();

}  // namespace argand
