#pragma once
/// The first step of every program: selects the best library and OpenBLAS kernels for the processor, and makes waiting threads
/// yield.

#include <string>

namespace argand {

/// The file to execute to start another process of this program: the running executable, or the value of ARGAND_LAUNCHER at
/// startup. (In a program with its own C library (packaging/make_tarball.py), the running executable is that library's loader.)
/// Removes the variable from the environment, because other programs are started differently.
const std::string& current_program();

/// Restarts the program if necessary, unless an argument is --help or -h (a start takes 18 ms), once for each of these reasons:
///   - the environment variable ARGAND_LEVEL (baseline, v3, v4) selects a level of the library other than the loader's choice;
///   - OpenBLAS runs kernels much slower than the processor allows, and the library could not change them
///     (core/machine/openblas_kernels.h). A value of OPENBLAS_CORETYPE set by the user is respected;
///   - neither OMP_WAIT_POLICY nor GOMP_SPINCOUNT is set: then GOMP_SPINCOUNT is set to a short wait.
/// The arguments are unchanged; GLIBC_TUNABLES, OPENBLAS_CORETYPE or GOMP_SPINCOUNT is added to the environment. Throws if
/// ARGAND_LEVEL is not a valid level, or is one that the processor or the installation lacks. Reports on standard error if
/// OpenBLAS remains slow (blas_advice).
void ensure_fast_kernels(char** argv);

/// Restarts the program for OpenBLAS with the same arguments and environment, plus OPENBLAS_CORETYPE=coretype. Returns at once if
/// that variable is already set (by the user, or by this function before the restart, so that it happens once) or if exec fails.
void restart_with_coretype(const std::string& coretype, char** argv);

}  // namespace argand
