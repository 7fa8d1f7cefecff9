#pragma once
/// Matrix products through OpenBLAS, and the care that its fast kernels are the ones that run.

#include <cstdint>
#include <string>

#include "core/scalar.h"

namespace argand {

enum class Transpose { No, Yes, Conjugate };  ///< A, Aᵀ, Aᴴ

/// C <- alpha · op(A) · op(B) + beta · C with C [M, N], op(A) [M, K], op(B) [K, N], all row-major;
/// lda, ldb, ldc are the steps from one stored row to the next. beta = 0 ignores what C holds. Zero sizes are allowed.
template <Scalar T>
void gemm(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, T alpha, const T* A, std::int64_t lda,
          const T* B, std::int64_t ldb, T beta, T* C, std::int64_t ldc);

/// What OpenBLAS found and what it should have found.
struct BlasKernels {
  std::string running;  ///< openblas_get_corename(), e.g. "Prescott"
  std::string wanted;   ///< the OPENBLAS_CORETYPE that uses this processor's widest vectors; empty when `running` already does
};
BlasKernels blas_kernels();

/// For main(): when OpenBLAS runs kernels much slower than the processor allows (Debian 12's 0.3.21 does not know recent Intel
/// cores and falls back to SSE, a fifth of the speed), starts the program again, once, with OPENBLAS_CORETYPE set.
/// A value that the user has set is respected. Does not return when it restarts.
void restart_with_fast_blas(char** argv);

/// For libraries' users without such a main(): says once, on standard error, how to get the fast kernels, if they are missing.
void warn_of_slow_blas();

}  // namespace argand
