#pragma once
/// What a program does before anything else: see to it that the right library and the right OpenBLAS kernels run.

namespace argand {

/// Starts the program again, once for each, where that is needed:
///   - the environment variable ARGAND_LEVEL (baseline, v3, v4) asks for another level of the library than the loader chose;
///   - OpenBLAS runs kernels much slower than the processor allows (restart_with_fast_blas in core/blas.h).
/// Same arguments; the environment has GLIBC_TUNABLES or OPENBLAS_CORETYPE more. Throws when ARGAND_LEVEL is no level, or one that
/// the processor or the installation does not have.
void start_with_the_right_kernels(char** argv);

}  // namespace argand
