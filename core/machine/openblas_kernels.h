#pragma once
/// Whether OpenBLAS runs the best kernels for this processor. Debian 12's 0.3.21 does not know recent Intel cores and falls back to
/// SSE, a fifth of the speed. So the library changes them when it is loaded (use_fast_kernels). Where it cannot, programs restart
/// (apps/terminal/start.h), and others can print blas_advice().

#include <string>
#include <string_view>

#include "core/machine/cpu.h"

namespace argand {

/// The OPENBLAS_CORETYPE whose kernels use this processor's vector instructions; empty if the `running` kernels already do.
std::string fast_kernels_for(std::string_view running, const CpuFeatures& cpu);

/// The kernels that OpenBLAS chose and those it should have chosen.
struct BlasKernels {
  std::string running;         ///< blas_kernels_name(), e.g. "Prescott"
  std::string wanted;          ///< fast_kernels_for(running, cpu_features())
  bool shares_threads = true;  ///< blas_shares_threads()
};
BlasKernels blas_kernels();

/// Changes the kernels to those wanted, unless they are the user's choice (OPENBLAS_CORETYPE) or the process has other threads,
/// which might be multiplying. Returns whether it changed them.
bool use_fast_kernels();

/// Advice for faster matrix products, one line per remedy, or empty if all is well. Reasons: OpenBLAS's kernels are slower than the
/// processor allows, or its flavour does not share our threads. A working OPENBLAS_CORETYPE set by the user is respected. Worth
/// printing at the start of a training program:
///
///     fmt::print(stderr, "{}", argand::blas_advice());
std::string blas_advice();

}  // namespace argand
