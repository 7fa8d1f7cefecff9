#pragma once
/// What a program does before anything else: see to it that the right library and the right OpenBLAS kernels run, and that threads
/// which wait leave the processor to others.

#include <string>

namespace argand {

/// Starts the program again, once for each, where that is needed:
///   - the environment variable ARGAND_LEVEL (baseline, v3, v4) asks for another level of the library than the loader chose;
///   - OpenBLAS runs kernels much slower than the processor allows (core/machine/openblas_kernels.h). A value of OPENBLAS_CORETYPE
///     that the user has set is respected;
///   - neither OMP_WAIT_POLICY nor GOMP_SPINCOUNT says how threads wait: then GOMP_SPINCOUNT does, briefly.
/// Same arguments; the environment has GLIBC_TUNABLES, OPENBLAS_CORETYPE or GOMP_SPINCOUNT more. Throws when ARGAND_LEVEL is no
/// level, or one that the processor or the installation does not have. What is slow all the same it says on standard error
/// (blas_advice).
void start_with_the_right_kernels(char** argv);

/// The restart for OpenBLAS itself: the same program, arguments and environment, and OPENBLAS_CORETYPE=coretype. Returns at once
/// when that variable has a value already (the user's choice, or this function's in the start before: hence once) or when exec
/// fails.
void restart_with_coretype(const std::string& coretype, char** argv);

}  // namespace argand
